// append.ts PATH NAME COUNT LENGTH: append COUNT records that begin with NAME.
import { appendRecords } from "../../../src/kernel/files/append.ts";

const [path, name, count, length] = process.argv.slice(2);
for (let turn = 0; turn < Number(count); turn++) {
  appendRecords(path!, [`${name} ${turn} `.padEnd(Number(length), "x")], { create: 0o600 });
}
