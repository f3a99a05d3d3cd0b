import { spawn } from "node:child_process";
import { createServer, type IncomingMessage } from "node:http";
import { onTestFinished } from "vitest";
import { testEnv } from "../support/run.ts";

export interface GitServer {
  port: number;
  /** The `Authorization` headers that came. */
  authorizations: Set<string | undefined>;
}

/** Serve the repositories below a directory over HTTP to who knows the name and password, by git's own CGI program. */
export async function serveGit(root: string, user: string, password: string): Promise<GitServer> {
  const expected = `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
  const authorizations: GitServer["authorizations"] = new Set();
  const server = createServer((request, response) => {
    authorizations.add(request.headers.authorization);
    if (request.headers.authorization !== expected) {
      response.writeHead(401, { "WWW-Authenticate": 'Basic realm="x"' }).end();
      return;
    }
    const cgi = spawn("git", ["http-backend"], {
      env: cgiEnvironment(root, request),
      stdio: ["pipe", "pipe", "inherit"],
    });
    request.pipe(cgi.stdin);
    const parts: Buffer[] = [];
    cgi.stdout.on("data", (part: Buffer) => parts.push(part));
    cgi.on("close", () => {
      const output = Buffer.concat(parts);
      const end = output.indexOf("\r\n\r\n");
      for (const line of output.subarray(0, end).toString().split("\r\n")) {
        const [name, value] = line.split(": ");
        if (name === "Status") response.statusCode = Number.parseInt(value!, 10);
        else response.setHeader(name!, value!);
      }
      response.end(output.subarray(end + 4));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return { port: typeof address === "object" ? address!.port : 0, authorizations };
}

function cgiEnvironment(root: string, request: IncomingMessage): Record<string, string> {
  const { pathname, search } = new URL(request.url!, "http://x");
  return testEnv({
    GIT_PROJECT_ROOT: root,
    GIT_HTTP_EXPORT_ALL: "1",
    PATH_INFO: pathname,
    QUERY_STRING: search.slice(1),
    REQUEST_METHOD: request.method!,
    CONTENT_TYPE: request.headers["content-type"],
    HTTP_CONTENT_ENCODING: request.headers["content-encoding"],
    HTTP_GIT_PROTOCOL: request.headers["git-protocol"] as string | undefined,
    REMOTE_ADDR: "127.0.0.1",
  });
}
