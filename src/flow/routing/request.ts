import { UsageError } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import { requiredText } from "../common/arguments.ts";

/** The three ways to give a request. */
export interface RequestSource {
  positional: string | undefined;
  request: string | undefined;
  "request-file": string | undefined;
}

/** The request's text, which may be empty. Throws `UsageError` unless it is given in exactly one way. */
export function requestText(host: Host, source: RequestSource): Promise<string> {
  if (source.positional !== undefined && source.request !== undefined) {
    throw new UsageError("give REQUEST or --request, not both");
  }
  return requiredText(host, {
    text: source.positional ?? source.request,
    file: source["request-file"],
    names: [source.positional === undefined ? "--request" : "REQUEST", "--request-file"],
  });
}
