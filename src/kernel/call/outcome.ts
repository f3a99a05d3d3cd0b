/** What the printer knows about the stream a result goes to. */
export interface Terminal {
  /** True only when stdout is a terminal: tables are aligned, otherwise tab-separated. */
  isTerminal: boolean;
  /** Columns to fit in; 80 when unknown. */
  width: number;
  /** Whether escape sequences for colour may be written. */
  colour: boolean;
}

/** What a verb returns. Only `cli/print` writes it to stdout. */
export interface Outcome<Data = unknown> {
  /** What `--json` prints, described by the room's schema. */
  data: Data;
  /** What a person reads, made from `data` by a pure renderer. A missing final newline is added; "" prints nothing. */
  text: string | ((terminal: Terminal) => string);
  /** 0 unless given. */
  exitCode?: number;
  /** Whole lines for stderr (warnings, notes, tips), printed before the result. */
  notes?: readonly string[];
  /** Exact JSON text, when a spec fixes its bytes; `JSON.stringify(data)` otherwise. */
  json?: string;
  /** Said on stderr when stdout cannot be written: the result names something that exists now, and only it did. */
  undelivered?: string;
  /** A file's content, whole or in pieces as it is read: written byte for byte instead of `text` and `data`. */
  bytes?: Uint8Array | Iterable<Uint8Array>;
}

/** Where a long-lived command writes its result while it runs. `write` returns when the bytes are handed over. */
export interface Writer {
  /** Throws `ClosedPipe` when the reader has gone. */
  write(chunk: string | Uint8Array): void;
  readonly terminal: Terminal;
}
