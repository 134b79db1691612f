import { withSnakeKeys } from "../../../core/letter-case.ts";
import { jsonText } from "../../../core/visible.ts";
import { exportRoom } from "../../../room/export-room.ts";
import type { Command } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { granted } from "../granted.ts";
import { roomOf } from "../room-of.ts";

export const exportCommand: Command = {
  name: "export",
  summary: "print the room's whole history, one JSON line each",
  details: ["First the room, then every event in order with full notes, then the notes. Always JSON."],
  example: "tt export > room.ndjson",
  positionals: [{ name: "path" }],
  async run(context) {
    const room = granted(await roomOf(context));
    const deps = granted(await context.deps());
    for await (const record of exportRoom(deps, room)) {
      if (context.ports.interrupted.aborted) return EXIT.interrupted;
      await context.ports.writeOut(`${jsonText(withSnakeKeys(record))}\n`);
    }
    return EXIT.done;
  },
};
