/** The structure of an HTML plan, read with a standard HTML parser (loaded with this module). Nothing in it is run. */
import { type DefaultTreeAdapterTypes, defaultTreeAdapter, Parser } from "parse5";
import { collapse, type HtmlDocument, type HtmlElement, type Marker, nest } from "./document.ts";
import { readBlocks } from "./html-blocks.ts";
import { readMetadata } from "./html-metadata.ts";
import {
  attribute,
  INLINE,
  INVISIBLE,
  isElement,
  isQuoted,
  isText,
  startLine,
  visibleText,
  walk,
} from "./html-tree.ts";
import { BeyondLimit, MAX_HTML_DEPTH, MAX_HTML_ELEMENTS } from "./limits.ts";

/** Read an HTML document. `source` has no byte-order mark. Throws `BeyondLimit`. */
export function readHtml(source: string): HtmlDocument {
  const { root, written } = parse(source);
  const elements: HtmlElement[] = [];
  walk(root, (node) => {
    if (isElement(node)) elements.push(node);
    return undefined;
  });
  const lines = source.split("\n").map((line) => line.replace(/\r$/, ""));
  if (lines.at(-1) === "") lines.pop();
  const { blocks, headings } = readBlocks(root);
  nest(headings, blocks.length, lines.length);
  const markers: Marker[] = [];
  for (const element of elements) {
    const role = attribute(element, "data-ce-section");
    if (role !== undefined && !isQuoted(element)) markers.push({ role, line: startLine(element) });
  }
  return {
    format: "html",
    source,
    lines,
    headings,
    blocks,
    markers,
    metadata: readMetadata(elements, headings),
    root,
    elements,
    written,
    doctype: hasDoctype(root),
    visibleText: visibleText(root),
    lead: leadText(root),
  };
}

/** Parse within the limits, and count the start tags of the elements that a parser merges or makes up. */
function parse(source: string): {
  root: DefaultTreeAdapterTypes.Document;
  written: Map<string, number>;
} {
  let elements = 0;
  let line = 1;
  const treeAdapter: typeof defaultTreeAdapter = {
    ...defaultTreeAdapter,
    createElement(...words) {
      if (++elements > MAX_HTML_ELEMENTS)
        throw new BeyondLimit(line, `more than ${MAX_HTML_ELEMENTS} elements`);
      return defaultTreeAdapter.createElement(...words);
    },
  };
  const options = { sourceCodeLocationInfo: true, treeAdapter };
  const parser = new Parser<DefaultTreeAdapterTypes.DefaultTreeAdapterMap>(options);
  const written = new Map<string, number>();
  const onStartTag = parser.onStartTag.bind(parser);
  parser.onStartTag = (token) => {
    line = token.location?.startLine ?? line;
    // Before the tag is taken in: the parser looks through all that is open.
    if (parser.openElements.stackTop > MAX_HTML_DEPTH)
      throw new BeyondLimit(line, `elements nested deeper than ${MAX_HTML_DEPTH} levels`);
    if (/^(html|head|body)$/.test(token.tagName)) {
      written.set(token.tagName, (written.get(token.tagName) ?? 0) + 1);
    }
    onStartTag(token);
  };
  parser.tokenizer.write(source, true);
  return { root: parser.document, written };
}

/** A parser takes a doctype only at the very beginning, comments and blanks apart. */
function hasDoctype(root: DefaultTreeAdapterTypes.Document): boolean {
  return root.childNodes.some(
    (node) =>
      node.nodeName === "#documentType" && "publicId" in node && node.name === "html" && !node.publicId,
  );
}

/** Visible text before the first section. */
function leadText(root: DefaultTreeAdapterTypes.Document): string {
  let text = "";
  let ended = false;
  walk(root, (node) => {
    if (ended) return false;
    if (isText(node)) text += node.value;
    if (!isElement(node)) return undefined;
    if (node.tagName === "section") ended = true;
    if (!INLINE.has(node.tagName)) text += " ";
    return !ended && !INVISIBLE.has(node.tagName);
  });
  return collapse(text);
}
