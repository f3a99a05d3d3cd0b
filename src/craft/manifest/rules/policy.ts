import type { YamlNode } from "../../../kernel/yaml/yaml.ts";
import { ACTIONS, isOneOf, VERDICTS } from "../../common/vocabulary.ts";
import type { Findings } from "../findings.ts";
import { entriesOf, itemsOf, offending, stringOf } from "../nodes.ts";

/** A `policy` mapping of one scope (docs/spec/craft-engine.md 3.2, 10.2). */
export function checkPolicy(node: YamlNode, findings: Findings): void {
  if (node.kind !== "map") {
    findings.error("policy must be an object { always, ask, never }", node);
    return;
  }
  const verdicts = new Map<string, string>();
  for (const { key: verdict, value, ...at } of entriesOf(node)) {
    if (!isOneOf(VERDICTS, verdict)) {
      findings.error(
        `unknown policy verdict: '${verdict}' (expected one of ${VERDICTS.join(", ")})`,
        at,
        findings.meant(verdict, VERDICTS),
      );
      continue;
    }
    if (value.kind !== "list") {
      findings.error(`policy.${verdict} must be a list of action names`, value);
      continue;
    }
    for (const item of itemsOf(value)) checkAction(item, verdict, verdicts, findings);
  }
}

function checkAction(
  item: YamlNode,
  verdict: string,
  verdicts: Map<string, string>,
  findings: Findings,
): void {
  const action = stringOf(item);
  if (!isOneOf(ACTIONS, action)) {
    const shown = offending(item);
    findings.error(
      `unknown policy action: '${shown}' (expected one of ${ACTIONS.join(", ")})`,
      item,
      findings.meant(shown, ACTIONS),
    );
    return;
  }
  const other = verdicts.get(action);
  if (other !== undefined && other !== verdict) {
    findings.error(
      `policy action assigned to multiple verdicts: '${action}' appears in both '${other}' and '${verdict}'`,
      item,
    );
  }
  verdicts.set(action, other ?? verdict);
}
