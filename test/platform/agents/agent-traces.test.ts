import { existsSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { fileNameFor } from "../../../src/core/file-name.ts";
import { asAgentId, asRoomId } from "../../../src/core/ids.ts";
import { processKey } from "../../../src/core/process.ts";
import { createAgentTraces } from "../../../src/platform/agents/agent-traces.ts";
import { processOf } from "../../support/room-world.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const [OLD, SINCE] = [1000, 2000];

function card(agent: string): string {
  return `agents/${fileNameFor("card", processKey(processOf(agent)))}`;
}

test("what nobody knows and nobody touched for long goes; everything else stays", () => {
  const data = temporaryDirectory();
  const leave = (file: string, seconds = OLD / 1000) => {
    const path = join(data, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, "x");
    utimesSync(path, seconds, seconds);
    return path;
  };
  const gone = [
    leave(`bell/${fileNameFor("agent", "dead:1")}`),
    leave("flags/dead-session"),
    leave("activity/dead-session"),
    leave(`agents/${fileNameFor("turn", "dead:1 room")}`),
    leave(`agents/${fileNameFor("cursor", "live:1 other-room")}`),
    leave(`agents/${fileNameFor("losses", "dead:1")}`),
    leave(`agents/${fileNameFor("ended", "claude dead-session")}`),
    leave(`agents/${fileNameFor("advice", "dead:1")}`),
    leave("guard/on/dead-room"),
    leave("guard/pass/dead-session"),
    leave("quiet/mark/dead-session"),
    leave("quiet/told/dead-session"),
    leave(`quiet/permit/${fileNameFor("agent", "dead:1")}`),
    leave("guard/over/room.1"),
    leave("guard/attempts/room.1"),
    leave("guard/commands/room.1"),
    leave(card("dead"), 9),
    leave(card("unknown")),
  ];
  const kept = [
    leave("bell/all"),
    leave(`bell/${fileNameFor("agent", "live:1")}`),
    leave(`bell/${fileNameFor("agent", "dead:2")}`, 3),
    leave("activity/live-session"),
    leave("activity/new-session", 3),
    leave(`agents/${fileNameFor("turn", "live:1 room")}`),
    leave(`agents/${fileNameFor("losses", "live:1")}`),
    leave(`agents/${fileNameFor("advice", "live:1")}`),
    leave("guard/on/room"),
    leave("guard/pass/live-session"),
    leave("quiet/mark/live-session"),
    leave("quiet/told/live-session"),
    leave(`quiet/permit/${fileNameFor("agent", "live:1")}`),
    leave("guard/over/room.2", 3),
    leave(card("alive")),
    leave("tt.db"),
    leave("agents/something-else"),
  ];
  symlinkSync(join(data, "tt.db"), join(data, "flags/planted"));
  const verdicts = { dead: "gone", alive: "alive" } as const;
  const probe = {
    self: () => processOf("test"),
    find: () => null,
    verdict: ({ startTicks }: { readonly startTicks: string }) =>
      verdicts[startTicks as keyof typeof verdicts] ?? ("unknown" as const),
    isSuspended: () => false,
  };
  const known = {
    agents: [asAgentId("live:1")],
    sessionIds: ["live-session"],
    members: [{ agentId: asAgentId("live:1"), roomId: asRoomId("room") }],
  };
  expect(createAgentTraces(data, probe).removeOld(known, SINCE)).toBe(gone.length);
  expect(gone.filter((path) => existsSync(path))).toEqual([]);
  expect(kept.filter((path) => !existsSync(path))).toEqual([]);
  expect(existsSync(join(data, "flags/planted"))).toBe(true);
});
