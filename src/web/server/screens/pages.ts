import * as wire from "../../../kernel/shared/annotate-wire.ts";

/** The markup the server adds around screens (docs/spec/web.md 7 and 8.2). No page says more than its section allows. */

const STYLE = `body{margin:0;font-family:system-ui,sans-serif;color:#1a1a1a;background:#fff}
#ce-local-web-strip{padding:4px 24px;font-size:12px;color:#555;background:#f3f3f3;border-bottom:1px solid #ddd}
main{padding:24px}`;

/** What stands before and after a fragment. */
export interface Wrapper {
  before: string;
  after: string;
}

/** A minimal page around a fragment. `head` goes into its head, `script` before its end. */
export function wrapper(strip: string, head: string, script: string): Wrapper {
  return {
    before: `<!doctype html>
<html>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>CE local web</title>
<style>
${STYLE}
</style>
${head}</head>
<body>
<div id="ce-local-web-strip">${strip}</div>
<main>
`,
    after: `
</main>
${script}</body>
</html>
`,
  };
}

export const STRIP = "CE local web - newest screen";
export const STRIP_DEFAULT = "CE local web - newest screen, reloads on change";

/** Shown at `/` before there is a screen. */
export const WAITING = `<h1>Waiting for a page...</h1>
<p>The agent will update this page when a screen is ready.</p>`;

/** Shown, with the overlay, for a screen that is gone: a tab caught in a rename recovers with the next change. */
export const NO_LONGER = `<h1>This screen no longer exists</h1>
<p>It was renamed or removed. <a href="/">Show the newest screen</a></p>`;

/**
 * The script of the default mode: asks once a second whether another screen is shown now, and says so when the server
 * is gone (docs/spec/web.md 7). Only a wrapped page has the strip.
 */
export function refreshScript(shown: wire.Version, wrapped: boolean): string {
  const strip = wrapped
    ? `
    var strip = document.getElementById("ce-local-web-strip");
    if (strip && stopped) { stripText = strip.textContent; strip.textContent = "CE local web - preview stopped, ask your agent to start it again"; }
    if (strip && !stopped) strip.textContent = stripText;`
    : "";
  return `<script>
(function () {
  var shown = ${scriptJson(shown)}, failures = 0, busy = false, prefix = "(preview stopped) "${wrapped ? ', stripText = ""' : ""};
  function mark(stopped) {
    document.title = stopped ? prefix + document.title : document.title.replace(prefix, "");${strip}
  }
  function check() {
    if (busy) return;
    busy = true;
    fetch("${wire.VERSION_PATH}", { cache: "no-store" }).then(function (answer) {
      if (!answer.ok) throw 0;
      return answer.json();
    }).then(function (now) {
      if (failures >= 5) mark(false);
      failures = 0;
      if (now.screen !== shown.screen || now.mtimeMs !== shown.mtimeMs) location.reload();
    }).catch(function () {
      failures += 1;
      if (failures === 5) mark(true);
    }).then(function () { busy = false; });
  }
  setInterval(check, 1000);
})();
</script>
`;
}

/** JSON that cannot end the script it stands in. */
export function scriptJson(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll("<", "\\u003c")
    .replaceAll("\u2028", "\\u2028")
    .replaceAll("\u2029", "\\u2029");
}

/** The tag that loads the overlay, in exactly this shape (docs/spec/web.md 8.2). */
export function bootTag(origin: string, session: string, document: string, page: string): string {
  const source = escapeAttribute(origin + wire.SCRIPT_PATH);
  return `<script defer src="${source}" ${wire.SESSION_ATTRIBUTE}="${session}" ${wire.DOCUMENT_ATTRIBUTE}="${document}" ${wire.PAGE_ATTRIBUTE}="${escapeAttribute(page)}"></script>`;
}

export function escapeAttribute(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
}

/** A page for its script alone. */
export interface ScriptPage {
  html: string;
  script: string;
}

/** The page behind a private link: it goes to the screen (docs/spec/web.md 8.4). */
export function authorizePage(to: string): ScriptPage {
  return openingPage(`location.replace(${scriptJson(to)})`);
}

/** Shown in place of a page that a service worker asked for: it sends the worker away and asks again (docs/spec/web.md 8.5). */
export const NO_WORKER_PAGE: ScriptPage = openingPage(
  `navigator.serviceWorker.getRegistrations().then((all) => Promise.all(all.map((one) => one.unregister()))).then((all) => all.length && location.reload())`,
);

function openingPage(script: string): ScriptPage {
  const html = `<!doctype html>\n<meta charset="utf-8">\n<title>Opening the preview</title>\n<script>${script}</script>\n`;
  return { html, script };
}
