import { resolve } from "node:path";
import { EXIT, JigError } from "../kernel/call/errors.ts";
import type { Host } from "../kernel/call/host.ts";
import { NOTE_STATES, type NoteState } from "../kernel/shared/annotate-wire.ts";
import type { AuthMode, Times } from "./server/config.ts";
import { DEFAULT_TIMES } from "./server/config.ts";
import { parseHost } from "./server/http/host-header.ts";

/** The flags of a call; every command of the room accepts upstream's. */
export interface WebFlags {
  root?: string | undefined;
  host?: string | undefined;
  port?: number | undefined;
  "owner-pid"?: number | "none" | undefined;
  foreground?: boolean;
  anyway?: boolean;
  annotate?: boolean;
  "allow-host"?: string[];
  "public-url"?: string | undefined;
  auth?: string | undefined;
  timeout?: number | undefined;
  reply?: string | undefined;
  ask?: string | undefined;
  choices?: string | undefined;
  done?: string[];
  declined?: string[];
  question?: string[];
  note?: string | undefined;
  open?: boolean;
  state?: string | undefined;
}

/** How to serve a root. */
export interface ServeOptions {
  root: string;
  host: string;
  /** 0: any free one. */
  port: number;
  annotate: boolean;
  /** `none`: watch nobody. Undefined: not said. */
  ownerPid: number | "none" | undefined;
  auth: AuthMode;
  allowHosts: string[];
  publicUrl: URL | undefined;
}

export const DEFAULT_HOST = "127.0.0.1";

/** The root as every printed path has it: absolute, symlinks kept. Exit 1, or 2 for `wait` (docs/spec/web.md 2.2). */
export function rootOf(host: Host, flags: WebFlags, exitCode: number = EXIT.failed): string {
  if (!flags.root)
    throw new JigError("--root is required", { exitCode, hint: "give the run's directory: --root DIR" });
  const root = resolve(host.cwd, flags.root);
  // Upstream's flags are validated wherever they stand.
  hostOf(flags, exitCode);
  return root;
}

/** What `start` and `serve` were asked for, and what the environment adds (docs/spec/web.md 2.1 and 14). */
export function serveOptions(host: Host, flags: WebFlags): ServeOptions {
  const root = rootOf(host, flags);
  return {
    root,
    host: hostOf(flags, EXIT.failed),
    port: flags.port ?? 0,
    annotate: flags.annotate ?? false,
    ownerPid: flags["owner-pid"],
    allowHosts: [...(flags["allow-host"] ?? []).map(allowHost), ...allowedByEnvironment(host)],
    auth:
      authOf("--auth", flags.auth) ?? authOf("JIG_WEB_AUTH", host.env["JIG_WEB_AUTH"] || undefined) ?? "auto",
    publicUrl:
      publicUrl("--public-url", flags["public-url"]) ??
      publicUrl("JIG_WEB_PUBLIC_URL", host.env["JIG_WEB_PUBLIC_URL"] || undefined),
  };
}

function hostOf(flags: WebFlags, exitCode: number): string {
  if (flags.host === "") throw new JigError("--host requires a value", { exitCode });
  return flags.host ?? DEFAULT_HOST;
}

function allowHost(value: string): string {
  const name = parseHost(value.startsWith(".") ? value.slice(1) : value)?.name;
  if (name === undefined) {
    throw new JigError("--allow-host requires a value", {
      hint: "a host name, or .name for its subdomains too",
    });
  }
  return value.startsWith(".") ? `.${name}` : name;
}

function allowedByEnvironment(host: Host): string[] {
  const listed = host.env["JIG_WEB_ALLOWED_HOSTS"] ?? "";
  return listed
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "")
    .map(allowHost);
}

function authOf(where: string, value: string | undefined): AuthMode | undefined {
  if (value === undefined) return undefined;
  if (value === "auto" || value === "open" || value === "link") return value;
  throw new JigError(`${where} must be auto, open or link`);
}

function publicUrl(where: string, value: string | undefined): URL | undefined {
  if (value === undefined) return undefined;
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url !== undefined && (url.protocol === "http:" || url.protocol === "https:")) return url;
  throw new JigError(`${where} must be an http or https URL`);
}

/** Budgets of the serving process; what is not a positive number is the default (docs/spec/web.md section 14). */
export function timesFrom(env: Host["env"]): Times {
  const read = (name: string, otherwise: number) => {
    const value = Number(env[name] || Number.NaN);
    return Number.isFinite(value) && value > 0 ? value : otherwise;
  };
  return {
    idle: read("CE_LIGHT_WEB_IDLE_TIMEOUT_MS", DEFAULT_TIMES.idle),
    lifecycle: read("CE_LIGHT_WEB_LIFECYCLE_CHECK_MS", DEFAULT_TIMES.lifecycle),
    wait: read("CE_LIGHT_WEB_WAIT_TIMEOUT_MS", DEFAULT_TIMES.wait),
    grace: read("CE_LIGHT_WEB_SSE_GRACE_MS", DEFAULT_TIMES.grace),
  };
}

/** The states `annotations` prints; all without the flag. */
export function statesOf(flags: WebFlags): ReadonlySet<NoteState> {
  if (flags.state === undefined) return new Set(NOTE_STATES);
  const states = flags.state.split(",").map((state) => state.trim()) as NoteState[];
  if (states.every((state) => NOTE_STATES.includes(state))) return new Set(states);
  throw new JigError("--state must list held, queued, working or done");
}
