import { connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** A plain TCP relay between browser and server, to cut the line without harming either. */
export interface Line {
  port: number;
  /** Break every connection and refuse new ones. */
  cut(): void;
  mend(): void;
}

export async function layLine(target: number): Promise<Line> {
  const open = new Set<Socket>();
  let whole = true;
  const server = createServer((client) => {
    if (!whole) return void client.destroy();
    const upstream = connect(target, "127.0.0.1");
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on("error", () => socket.destroy());
      socket.on("close", () => {
        open.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream).pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const cut = () => {
    whole = false;
    for (const socket of open) socket.destroy();
  };
  onTestFinished(() => {
    cut();
    server.close();
  });
  return {
    port: (server.address() as { port: number }).port,
    cut,
    mend: () => {
      whole = true;
    },
  };
}
