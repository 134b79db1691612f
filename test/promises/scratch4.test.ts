import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { it } from "vitest";
import { isRefusal, openTalkingStick } from "../../src/main/index.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
it("x", async () => {
  const directory = temporaryDirectory();
  const path = join(directory, "tree");
  mkdirSync(path);
  const env = { TT_DATA_DIR: join(directory, "data"), HOME: directory };
  const members = Number(process.env["M"] ?? 1);
  const sticks = [];
  for (let i = 0; i < members; i++) {
    const s = await openTalkingStick({ agentId: `a${i}`, env });
    if (isRefusal(s)) throw new Error();
    const j = await s.joinPath({ contextPath: path });
    if (isRefusal(j)) throw new Error();
    sticks.push({ s, roomId: j.roomId });
  }
  const { s, roomId } = sticks[0]!;
  for (let k = 0; k < 6; k++) {
    const t = performance.now();
    const c = process.cpuUsage();
    for (let i = 0; i < 500; i++) await s.addNote({ roomId, body: "still here" });
    const u = process.cpuUsage(c);
    console.log(`${members} members: ${((performance.now() - t) / 500).toFixed(2)} ms wall, ${((u.user + u.system) / 500000).toFixed(2)} ms CPU per note; wal ${statSync(join(directory, "data", "tt.db-wal")).size}`);
  }
}, 600000);
