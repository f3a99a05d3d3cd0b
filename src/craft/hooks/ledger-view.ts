import { readRecords } from "../../kernel/files/append.ts";
import type { TrustedRun } from "../ledger/pointer.ts";
import { cleanText, cutText } from "./clean-text.ts";

/** Lines of the tail, and characters of each. */
export const TAIL_LINES = 30;
const LINE_CHARACTERS = 200;
const PHASES_CHARACTERS = 200;

/** What a hook shows of a run's ledger. */
export interface LedgerView {
  /** This run's lines. */
  lines: number;
  /** Its last ones, clean and cut. */
  tail: string[];
  /** Phases whose last event is a start, in first-seen order. */
  inFlight: string[];
}

/** Look through a ledger once, keeping only what is shown; other runs' lines never appear. */
export function viewLedger({ runId, files }: TrustedRun): LedgerView {
  const head = new TextEncoder().encode(`${runId} `);
  const tail: Uint8Array[] = [];
  const phases = new Map<string, "start" | "done">();
  let lines = 0;
  readRecords(files.ledger, { uid: undefined }, ({ bytes }) => {
    if (bytes.length < head.length || head.some((byte, index) => bytes[index] !== byte)) return;
    lines++;
    // Four bytes a character at most, and some that are taken out.
    tail.push(bytes.slice(0, LINE_CHARACTERS * 16));
    if (tail.length > TAIL_LINES) tail.shift();
    notePhase(bytes, phases);
  });
  return {
    lines,
    tail: tail.map((line) => cutText(cleanText(line), LINE_CHARACTERS)),
    inFlight: [...phases].filter(([, last]) => last === "start").map(([phase]) => phase),
  };
}

/** The phase of a start or an end as it stands between the brackets, well-formed or not. */
function notePhase(bytes: Uint8Array, phases: Map<string, "start" | "done">): void {
  const line = cleanText(bytes.slice(0, LINE_CHARACTERS * 16));
  const record = line.slice(line.indexOf(" ", line.indexOf(" ") + 1) + 1).trimStart();
  const [, event, phase] = /^PHASE-(START|DONE)\((.*?)\):/.exec(record) ?? [];
  if (event !== undefined) phases.set(phase!, event === "START" ? "start" : "done");
}

/** The phases in flight as a note names them. */
export function phaseList({ inFlight }: LedgerView): string {
  return inFlight.length === 0 ? "none recorded" : cutText(inFlight.join(", "), PHASES_CHARACTERS);
}
