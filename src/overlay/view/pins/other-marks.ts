import type { Box, OtherTarget } from "../../../kernel/shared/annotate-wire.ts";
import * as page from "../../page/page.ts";
import { shownText } from "../../target/describe.ts";
import { boxOf } from "../../target/targets.ts";
import type { Anchor } from "../../types.ts";

/** The further elements of a note on several, outlined where the selector still finds what was meant (15.5). */
export function otherMarks({ context }: Anchor): Box[] {
  return (context.targets ?? []).flatMap((other) => {
    const element = elementOf(other);
    return element === null || shownText(element, 80) !== other.text ? [] : [boxOf(element)];
  });
}

function elementOf({ selector, frame, shadow = [] }: OtherTarget): Element | null {
  let element = page.query(document, selector);
  if (element !== null && frame !== undefined) {
    const inner = page.frameDocumentOf(element);
    element = inner === null ? null : page.query(inner, frame.selector);
  }
  for (const step of shadow) {
    const root = element === null ? null : page.shadowOf(element);
    element = root === null ? null : page.query(root, step);
  }
  return element;
}
