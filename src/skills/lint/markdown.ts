/** A line of a fenced code block. */
export interface FenceLine {
  line: number;
  text: string;
}

/** An inline code span. */
export interface CodeSpan {
  line: number;
  text: string;
  /** Inside double quotes or a block quote: words for the user, not for the agent. */
  quoted: boolean;
}

/** A line outside fences, its code spans blanked out. */
export interface ProseLine {
  line: number;
  text: string;
}

export interface Markdown {
  fences: FenceLine[][];
  spans: CodeSpan[];
  prose: ProseLine[];
}

const FENCE = /^(?:\s*>)*\s*(`{3,}|~{3,})/;
const SPAN = /(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)/g;

/** The code and the prose of a Markdown text, with 1-based line numbers. Front matter is left out. */
export function readMarkdown(text: string): Markdown {
  const result: Markdown = { fences: [], spans: [], prose: [] };
  let fence: { mark: string; lines: FenceLine[] } | undefined;
  for (const [number, line] of bodyLines(text)) {
    const mark = FENCE.exec(line)?.[1];
    if (fence !== undefined) {
      if (mark?.startsWith(fence.mark)) fence = undefined;
      else fence.lines.push({ line: number, text: line.replace(/^(?:\s*>)*/, "").trim() });
    } else if (mark !== undefined) {
      fence = { mark, lines: [] };
      result.fences.push(fence.lines);
    } else readProse(number, line, result);
  }
  return result;
}

/** Lines below the front matter, with their numbers in the file. */
export function* bodyLines(text: string): Generator<[number, string]> {
  const lines = text.split(/\r?\n/);
  let start = 0;
  if (lines[0]?.trimEnd() === "---") {
    const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === "---");
    if (end > 0) start = end + 1;
  }
  for (let index = start; index < lines.length; index++) yield [index + 1, lines[index]!];
}

function readProse(number: number, line: string, result: Markdown): void {
  const isQuote = /^\s*>/.test(line);
  let prose = "";
  let from = 0;
  for (const match of line.matchAll(SPAN)) {
    prose += line.slice(from, match.index);
    const insideQuotes = (prose.match(/"/g)?.length ?? 0) % 2 === 1;
    result.spans.push({ line: number, text: match[2]!.trim(), quoted: isQuote || insideQuotes });
    prose += " ";
    from = match.index + match[0].length;
  }
  result.prose.push({ line: number, text: prose + line.slice(from) });
}
