import { mkdirSync, writeFileSync } from "node:fs";
import net, { type AddressInfo } from "node:net";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { startIdentity } from "../../src/kernel/process/index.ts";
import {
  type Answer,
  AnswerTooLarge,
  answerReader,
  LARGEST_ANSWER,
  TransportError,
} from "../../src/web/answer.ts";
import { tempDir } from "../support/temp.ts";
import { web } from "./support.ts";

/** The answer in these pieces; undefined when they do not complete one. */
function read(pieces: string[], ended = false): Answer | undefined {
  const reader = answerReader();
  for (const piece of pieces) {
    const answer = reader.push(Buffer.from(piece));
    if (answer !== undefined) return answer;
  }
  return ended ? reader.end() : undefined;
}

const WHOLE = [
  "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab\ncd",
  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab\ncd\r\n0\r\n\r\n",
  "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2;x=y\r\nab\r\n3\r\n\ncd\r\n0\r\n\r\n",
];

describe("an answer's bytes", () => {
  test("by length, in chunks, until the end, or without a body", () => {
    expect(read(["HTTP/1.1 200 OK\r\nContent-Length: 3\r\nX-Jig-Batch: b\r\n\r\nabc"])).toEqual({
      status: 200,
      headers: new Map([
        ["content-length", "3"],
        ["x-jig-batch", "b"],
      ]),
      body: "abc",
    });
    for (const whole of WHOLE) expect(read([whole])?.body).toBe("ab\ncd");
    expect(read(["HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"])?.body).toBe("");
    expect(read(["HTTP/1.1 410 Gone\r\n\r\nabc"])).toBeUndefined();
    expect(read(["HTTP/1.1 410 Gone\r\n\r\nabc"], true)?.body).toBe("abc");
    expect(read(["HTTP/1.1 204 No Content\r\nDate: x\r\n\r\n"])).toMatchObject({ status: 204, body: "" });
  });

  test("in any pieces the same, and a part is never taken for the whole", () => {
    fc.assert(
      fc.property(fc.constantFrom(...WHOLE), fc.array(fc.nat(150)), (text, cuts) => {
        const places = [0, ...cuts.map((cut) => cut % text.length).sort((a, b) => a - b), text.length];
        const pieces = places.slice(1).map((end, index) => text.slice(places[index], end));
        expect(read(pieces)?.body).toBe("ab\ncd");
        const part = text.slice(0, places[1]! % (text.length - 8));
        expect(() => read([part], true)).toThrow(TransportError);
      }),
    );
  });

  test("what is no answer is refused as soon as that is known", () => {
    for (const nonsense of [
      "SSH-2.0\r\n\r\n",
      "x".repeat(70_000),
      "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nnope\r\n",
      `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${"0".repeat(2000)}`,
    ]) {
      expect(() => read([nonsense]), nonsense.slice(0, 60)).toThrow("the answer is not HTTP");
    }
  });

  test("one larger than any answer can be is refused, announced or not", () => {
    expect(() => read([`HTTP/1.1 200 OK\r\nContent-Length: ${LARGEST_ANSWER + 1}\r\n\r\n`])).toThrow(
      AnswerTooLarge,
    );
    const reader = answerReader(1000);
    expect(() => {
      reader.push(Buffer.from("HTTP/1.1 200 OK\r\n\r\n"));
      for (let sent = 0; sent < 2000; sent += 10) reader.push(Buffer.alloc(10, 97));
    }).toThrow(AnswerTooLarge);
  });
});

test("a server that answers without end does not keep wait: it says so and ends", async () => {
  const root = tempDir("jig-web-");
  let sent = 0;
  const server = net.createServer((socket) => {
    const piece = Buffer.alloc(1 << 20, 97);
    const pump = () => {
      while (!socket.destroyed && sent < 400 << 20) {
        sent += piece.length;
        if (!socket.write(piece)) return;
      }
      socket.end();
    };
    socket.on("error", () => {});
    socket.on("drain", pump);
    socket.once("data", () => {
      socket.write("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n");
      pump();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const state = join(root, "state");
  mkdirSync(state, { mode: 0o700 });
  writeFileSync(join(state, "server.pid"), `${process.pid}\n`);
  const info = {
    ...{ status: "running", root, host: "127.0.0.1", port: (server.address() as AddressInfo).port, url: "" },
    ...{ screen_dir: "", state_dir: state, pid: process.pid, owner_pid: null, token: "t", annotate: true },
    pid_start: await startIdentity(process.pid),
  };
  writeFileSync(join(state, "display-info.json"), JSON.stringify(info));
  const run = await web(["wait", "--root", root], { timeout: 60_000 });
  expect([run.code, run.stdout, run.stderr]).toEqual([
    2,
    "",
    `jig web: the server does not answer: the answer is larger than ${LARGEST_ANSWER} bytes\n`,
  ]);
  expect(sent).toBeLessThan(300 << 20);
});
