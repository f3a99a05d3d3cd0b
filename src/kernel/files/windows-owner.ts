import { type ForeignCall, openLibraryNow } from "../../runtime/ffi.ts";

/*
 * Whose a file is on Windows (docs/spec/jobs.md 12.1): its owner is the caller's user or the owner its new files get, which
 * differ when it is elevated.
 */

const TOKEN_QUERY = 0x0008;
const TOKEN_USER = 1;
const TOKEN_OWNER = 4;
const SE_FILE_OBJECT = 1;
const OWNER_SECURITY_INFORMATION = 1;
const THIS_PROCESS = -1;
/** A token's fact: a pointer, attributes and the longest SID. */
const FACT_BYTES = 256;

const SECURITY = {
  OpenProcessToken: { args: ["i64", "u32", "buffer"], returns: "i32" },
  GetTokenInformation: { args: ["i64", "i32", "buffer", "u32", "buffer"], returns: "i32" },
  GetNamedSecurityInfoW: {
    args: ["buffer", "i32", "u32", "buffer", "buffer", "buffer", "buffer", "buffer"],
    returns: "u32",
  },
  GetSecurityInfo: {
    args: ["i64", "i32", "u32", "buffer", "buffer", "buffer", "buffer", "buffer"],
    returns: "u32",
  },
  EqualSid: { args: ["i64", "i64"], returns: "i32" },
} as const;

const MEMORY = {
  CloseHandle: { args: ["i64"], returns: "i32" },
  LocalFree: { args: ["i64"], returns: "i64" },
} as const;

type Calls = Record<keyof typeof SECURITY | keyof typeof MEMORY | "uv_get_osfhandle", ForeignCall>;

interface Caller {
  calls: Calls;
  /** Addresses of the caller's SIDs. */
  sids: number[];
  /** What holds them. */
  facts: Uint8Array[];
}

let known: Caller | undefined;

/** Whether what this path leads to belongs to somebody else; also when the system does not say whose it is. */
export function isForeignOnWindows(path: string): boolean {
  return isForeign(({ calls }, owner, descriptor) =>
    calls.GetNamedSecurityInfoW(
      Buffer.from(`${path}\0`, "utf16le"),
      SE_FILE_OBJECT,
      OWNER_SECURITY_INFORMATION,
      owner,
      null,
      null,
      null,
      descriptor,
    ),
  );
}

/** The same for an open file. */
export function isForeignDescriptorOnWindows(file: number): boolean {
  return isForeign(({ calls }, owner, descriptor) =>
    calls.GetSecurityInfo(
      calls.uv_get_osfhandle(file),
      SE_FILE_OBJECT,
      OWNER_SECURITY_INFORMATION,
      owner,
      null,
      null,
      null,
      descriptor,
    ),
  );
}

function isForeign(ask: (caller: Caller, owner: Uint8Array, descriptor: Uint8Array) => number): boolean {
  const caller = thisCaller();
  if (caller === undefined) return false; // Plain Node, which runs unit tests only.
  const [owner, descriptor] = [new Uint8Array(8), new Uint8Array(8)];
  if (ask(caller, owner, descriptor) !== 0) return true;
  try {
    return !caller.sids.some((sid) => caller.calls.EqualSid(addressIn(owner), sid) !== 0);
  } finally {
    caller.calls.LocalFree(addressIn(descriptor));
  }
}

function thisCaller(): Caller | undefined {
  known ??= askToken();
  return known;
}

function askToken(): Caller | undefined {
  const calls = open();
  if (calls === undefined) return undefined;
  const token = new Uint8Array(8);
  if (calls.OpenProcessToken(THIS_PROCESS, TOKEN_QUERY, token) === 0)
    throw new Error("cannot read this process's token");
  const facts = [TOKEN_USER, TOKEN_OWNER].map((kind) => {
    // Over a buffer of its own: a small array's bytes move when somebody asks for its buffer, and the fact points into itself.
    const fact = new Uint8Array(new ArrayBuffer(FACT_BYTES));
    if (calls.GetTokenInformation(addressIn(token), kind, fact, FACT_BYTES, new Uint8Array(4)) === 0)
      throw new Error("cannot read this process's owner");
    return fact;
  });
  calls.CloseHandle(addressIn(token));
  return { calls, facts, sids: facts.map(addressIn) };
}

function open(): Calls | undefined {
  const security = openLibraryNow(["advapi32.dll"], SECURITY);
  const memory = openLibraryNow(["kernel32.dll"], MEMORY);
  // The runtime's descriptors are known to nobody else.
  const runtime = openLibraryNow([process.execPath], { uv_get_osfhandle: { args: ["i32"], returns: "i64" } });
  return security && memory && runtime && { ...security, ...memory, ...runtime };
}

/** The address or handle a call has left. */
function addressIn(bytes: Uint8Array): number {
  return Number(new DataView(bytes.buffer, bytes.byteOffset).getBigInt64(0, true));
}
