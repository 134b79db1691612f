import { type Pruned, pruneRooms } from "../../../room/prune-rooms.ts";
import { durationText } from "../../words/duration-text.ts";
import { wrap, wrapWhole } from "../../words/wrap.ts";
import type { Command } from "../command.ts";
import type { CliContext } from "../context.ts";
import { EXIT } from "../exit-codes.ts";
import { granted } from "../granted.ts";

export const prune: Command = {
  name: "prune",
  summary: "delete the history of rooms that nobody has used for long",
  details: [
    "Shows what it would delete; --yes deletes it. The turn counter, open notes and the last handoff stay.",
    "The deliveries of a room's messages are deleted with its history. So are agents that were gone for as long, with",
    "their memberships, sessions, mailboxes, handles and files. The disk gets the space back; meanwhile others wait.",
    "Old turns of the turn record are removed, too (policy record_keep_days and record_max_bytes), and it is packed.",
    "Write the history out first with: tt export",
  ],
  example: "tt prune --idle 720h --yes",
  flags: {
    idle: {
      kind: "duration",
      maxHours: 87_600,
      help: "how long a room or an agent must be idle; by default the room's policy says",
    },
    yes: { kind: "boolean", help: "delete it" },
  },
  async run(context, args) {
    const carryOut = args.isSet("yes");
    const deps = granted(await context.deps(carryOut ? "change" : "read"));
    const answer = granted(
      await pruneRooms(deps, { roomId: args.text("room"), idleForMs: args.number("idle"), carryOut }),
    );
    await context.answer(answer, (shown) => prunedText(shown, carryOut, context));
    return EXIT.done;
  },
};

function prunedText(pruned: Pruned, carryOut: boolean, { args, columns, tt }: CliContext): string {
  const { rooms, goneMembers = 0, removed = {} } = pruned;
  const lines = rooms.map((room) => {
    const what = room.pruned ? "deleted   " : carryOut ? "in use    " : "to delete ";
    return `${what} ${wrap(room.canonicalPath, columns, " ".repeat(11))}`;
  });
  if (goneMembers > 0) lines.push(`to delete  ${goneMembers} members of rooms in use that are gone`);
  if (lines.length === 0 && Object.keys(removed).length === 0 && pruned.record === undefined) {
    return carryOut ? "There was nothing to delete." : "No room has been idle for long enough.";
  }
  if (carryOut) return [...lines, ...removedLines(pruned, columns)].join("\n");
  const idleMs = args.number("idle");
  const idle = idleMs === undefined ? "" : ` --idle ${durationText(idleMs)}`;
  return [...lines, wrapWhole(`Do it with: ${tt} prune${idle} --yes`, columns)].join("\n");
}

function removedLines({ record, ...pruned }: Pruned, columns: number): readonly string[] {
  if (record === undefined) return rowLines(pruned, columns);
  const { turns, bytesBefore, bytesAfter } = record;
  const freed = `${((bytesBefore - bytesAfter) / 1e6).toFixed(1)} MB`;
  return [...rowLines(pruned, columns), wrap(`The files of ${turns} turns were removed: ${freed}.`, columns)];
}

function rowLines({ removed = {}, compacted, lockedMs = 0 }: Pruned, columns: number): readonly string[] {
  const counts = Object.entries(removed).map(([kind, count]) => `${count} ${kind}`);
  if (counts.length === 0) return [];
  const space = compacted ? " Free space went back to the disk." : "";
  return [
    wrap(`Removed: ${counts.join(", ")}.`, columns),
    wrap(`Other commands could not write for ${(lockedMs / 1000).toFixed(1)} s.${space}`, columns),
  ];
}
