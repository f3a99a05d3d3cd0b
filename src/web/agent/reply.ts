import { JigError } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { REPLY_PATH } from "../../kernel/shared/annotate-wire.ts";
import { jsonText } from "../../kernel/text/printable.ts";
import { shellWord } from "../../kernel/text/shell-word.ts";
import { TransportError } from "../client.ts";
import { rootOf, type WebFlags } from "../options.ts";
import type { Replied } from "../schema.ts";
import { replyText } from "../server/notes/reply-text.ts";
import { findServer } from "../state/ownership.ts";
import { pathsOf } from "../state/state-files.ts";
import { post, refusalOf } from "./calls.ts";

/** Show the person a text of the agent's at once, beside one note or all; ends nothing (docs/spec/web.md 4.7). */
export async function reply(host: Host, flags: WebFlags, given: string): Promise<Outcome<Replied>> {
  const root = rootOf(host, flags);
  const text = replyText(given);
  if (text === undefined) throw new JigError("TEXT must be 1 to 2000 characters");
  const info = (await findServer(pathsOf(root), host))?.info;
  if (info === undefined)
    throw new JigError("Server is not running", {
      hint: `jig web start --root ${shellWord(root)} --annotate`,
    });
  if (info.annotate !== true) throw new JigError("Annotation is not enabled for this server");
  const answer = await post(info, REPLY_PATH, {
    text,
    ...(flags.note === undefined ? {} : { note: flags.note }),
  });
  if (answer instanceof TransportError) throw new JigError(`the reply was not delivered: ${answer.message}`);
  if (answer.status === 410) throw new JigError("the session has ended");
  if (answer.status !== 200)
    throw new JigError(
      refusalOf(answer) ?? `the reply was not delivered: the server answered ${answer.status}`,
    );
  const data: Replied = { ok: true };
  return { data, text: jsonText(data) };
}
