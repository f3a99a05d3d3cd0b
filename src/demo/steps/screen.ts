import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { JigError } from "../../kernel/call/errors.ts";
import * as wire from "../../kernel/shared/annotate-wire.ts";
import { asset } from "../../runtime/assets.ts";
import { ask, openEventStream } from "../event-stream.ts";
import { type Demo, jsonOf, type Step } from "../step.ts";

const SCREEN = "001-checkout.html";
const COMMENT = "Make this the one thing people see first";

interface Served {
  url: string;
  token: string;
  screen_dir: string;
}

interface Note {
  id: string;
  comment: string;
  screen: string;
}

/** A page shown, commented on, changed, and seen to change. */
export const screen: Step = {
  id: "screen",
  title: "A screen, a comment on it, and the change",
  needsGit: false,
  async run(demo) {
    const root = join(demo.directory, "show");
    mkdirSync(join(root, "screens"), { recursive: true });
    writeFileSync(join(root, "screens", SCREEN), asset("assets/demo/checkout-before.html"));
    const owner = ["--owner-pid", String(demo.host.pid)];
    const served = jsonOf<Served>(await demo.jig(["web", "start", "--root", root, "--annotate", ...owner]));
    demo.atEnd(() => demo.host.run(["web", "stop", "--root", root]));

    const stream = await openEventStream(`${served.url}${wire.EVENTS_PATH}`, served.token);
    try {
      await postNote(served);
      const notes = jsonOf<Note[]>(await demo.jig(["web", "wait", "--root", root, "--timeout", "20"]));
      const [note] = notes;
      if (note?.comment !== COMMENT)
        throw new JigError(`expected the posted note, got ${JSON.stringify(notes)}`);
      writeFileSync(join(served.screen_dir, note.screen), asset("assets/demo/checkout-after.html"));
      await stream.next("screen-changed", 10_000);
    } finally {
      stream.close();
    }
    keepScreen(demo, served);
    return `note "${COMMENT}" came back, the screen changed, the browser was told`;
  },
};

/** One note, saved and sent, the way the overlay does it (docs/spec/web.md 15.7). */
async function postNote({ url, token }: Served) {
  const note = {
    page: `/${SCREEN}`,
    comment: COMMENT,
    selector: "main .pay",
    textSnippet: "Pay now",
    context: { kind: "element", label: 'button "Pay now"' },
    client_id: crypto.randomUUID(),
  };
  await post(`${url}${wire.NOTE_PATH}`, token, JSON.stringify(note));
  await post(`${url}${wire.SEND_PATH}`, token);
}

async function post(address: string, token: string, body?: string) {
  const response = await ask(address, {
    method: "POST",
    headers: { "X-Session-Token": token, "Content-Type": "application/json" },
    ...(body === undefined ? {} : { body }),
    signal: AbortSignal.timeout(10_000),
  });
  if (!response.ok) throw new JigError(`POST ${new URL(address).pathname} answers ${response.status}`);
}

function keepScreen(demo: Demo, { url, token }: Served) {
  demo.screen = `${url}${wire.AUTHORIZE_PATH}?token=${token}`;
}
