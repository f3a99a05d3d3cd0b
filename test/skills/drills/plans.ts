import { basename } from "node:path";

export interface PlanParts {
  path: string;
  /** A pack citation after what it shaped. */
  citation?: string;
  /** The marker of the section that a split needs. */
  fits?: string;
  /** A question that planning waits for. */
  blocking?: string;
}

const SETTLED =
  "(session-settled: user-directed — chosen over mute until lifted: forgotten mutes hide outages)";

/** The example document of the skill's own text, with the metadata that the text asks for. */
export function markdownPlan(sections: string, parts: PlanParts): string {
  const metadata = metadataOf(parts.path);
  const shape = sections
    .slice(sections.indexOf("A shape that passes the mechanical check"))
    .split("\n")
    .filter((line) => line.startsWith(">"))
    .map((line) => line.replace(/^> ?/, ""))
    .join("\n");
  const body = shape
    .replace(
      "mute an alert until a stated time.",
      `mute an alert until a stated time${after(parts.citation)}.`,
    )
    .replace(
      "### Outstanding Questions\n",
      `### Outstanding Questions\n${parts.blocking === undefined ? "" : `\n**Resolve Before Planning**\n\n- ${parts.blocking}\n`}`,
    )
    .replace(
      "### Requirements\n",
      `${parts.fits === undefined ? "" : `${parts.fits}\n### How This Work Fits Together\n\nThis covers muting; the rest is current understanding, not a roadmap.\n\n- Escalation: Can proceed independently of muting.\n\n`}### Requirements\n`,
    );
  const front = Object.entries(metadata).map(([key, value]) => `${key}: ${value}`);
  return `---\n${front.join("\n")}\n---\n\n# ${metadata["title"]}\n\n${body}\n`;
}

/** A document by the rules of the HTML reference. */
export function htmlPlan({ path, citation }: PlanParts): string {
  const { title, type, date, topic } = metadataOf(path) as Record<string, string>;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>
body { max-width: 72ch; margin: 2rem auto; font-family: system-ui, sans-serif; line-height: 1.5; }
</style>
</head>
<body>
<header>
<h1>${title}</h1>
<p><time datetime="${date}">${date}</time></p>
<dl><dt>type</dt><dd>${type}</dd><dt>topic</dt><dd>${topic}</dd></dl>
<details>
<summary>Document metadata</summary>
<dl>
<dt>artifact_contract</dt><dd>ce-unified-plan/v1</dd>
<dt>product_contract_source</dt><dd>ce-brainstorm</dd>
<dt>execution</dt><dd>code</dd>
</dl>
</details>
</header>
<nav><a href="#goal-capsule">Goal Capsule</a> <a href="#product-contract">Product Contract</a></nav>
<section id="goal-capsule">
<h2>Goal Capsule</h2>
<dl>
<dt>Objective</dt><dd>Engineers on call are not paged twice for an alert they have dealt with.</dd>
<dt>Product authority</dt><dd>This document; the on-call lead decides open points.</dd>
<dt>Open blockers</dt><dd>None.</dd>
</dl>
</section>
<section id="product-contract">
<h2>Product Contract</h2>
<section><h3>Summary</h3><p>A mute with an end time that every paging channel honours.</p></section>
<section><h3>Key Decisions</h3><ul><li><strong>A mute always expires.</strong> Governs R1. ${SETTLED}</li></ul></section>
<section id="product-requirements"><h3>Requirements</h3><ul>
<li id="r1"><span>R1.</span> An engineer on call can mute an alert until a stated time${after(citation)}.</li>
<li id="r2"><span>R2.</span> No channel pages for a muted alert.</li>
</ul></section>
<section><h3>Acceptance Examples</h3><ul>
<li id="ae1"><span>AE1.</span> <strong>Covers R1, R2.</strong> When an alert fires during its mute, then no channel pages.</li>
</ul></section>
<section><h3>Outstanding Questions</h3><p><strong>Deferred to Planning</strong></p><ul><li>Which channel is switched over first?</li></ul></section>
</section>
<footer class="composition-signal">${date}T09:30Z, from a request, ce-brainstorm</footer>
</body>
</html>
`;
}

function after(citation: string | undefined): string {
  return citation === undefined ? "" : ` ${citation}`;
}

/** What the file name says, in the keys of the metadata table. */
function metadataOf(path: string): Record<string, string> {
  const [, date, type, topic] = /^(\d{4}-\d\d-\d\d)-\d{4}-([a-z]+)-(.+)-plan/.exec(basename(path))!;
  return {
    title: "Mute alerts - Plan",
    type: type!,
    date: date!,
    topic: topic!,
    artifact_contract: "ce-unified-plan/v1",
    product_contract_source: "ce-brainstorm",
    execution: "code",
  };
}
