/** Sessions with hooks that must look again: by a flag, or because nothing lets the shell of their hooks answer any more. */
import { expect, test } from "vitest";
import { Fault } from "../../src/core/fault.ts";
import { asAgentId } from "../../src/core/ids.ts";
import type { Deps } from "../../src/engine/deps.ts";
import { raiseFlags, raiseFlagsIn } from "../../src/session/hooked-sessions.ts";
import { newSession, type Session } from "../../src/session/rules/session.ts";
import { flagSessions } from "../../src/session/sessions-without-room.ts";
import { ServiceWorld } from "../support/service-world.ts";

const [ANN, BEA] = [asAgentId("claude:ann"), asAgentId("claude:bea")];

/** `raisable`: the sessions whose flag can be raised. */
function place(raisable: readonly string[] = []) {
  const closed: string[] = [];
  const deps: Deps = {
    ...new ServiceWorld().deps,
    flags: {
      raise: (ids) => new Set(ids.filter((id) => raisable.includes(id))),
      look: () => null,
      lower: () => undefined,
    },
    quiet: { open: () => null, close: (agentId) => void closed.push(agentId), leave: () => undefined },
  };
  return { deps, closed };
}

async function failing(): Promise<never> {
  throw new Fault("store_busy", "the store was busy", { next: "", retry: true });
}

function hooked(agentId: Session["agentId"], sessionId: string | null): Session {
  return { ...newSession({ agentId, project: "/p" }, "claude"), sessionId, hooked: true };
}

test("given a flag that is up, the session stays quiet until it sees the flag", () => {
  const { deps, closed } = place(["a"]);
  expect(raiseFlags(deps, [hooked(ANN, "a")], [ANN])).toEqual(new Set([ANN]));
  expect(closed).toEqual([]);
});

test.each<[given: string, rows: readonly Session[]]>([
  ["a flag that cannot be raised", [hooked(ANN, "a")]],
  ["no id to name a flag after", [hooked(ANN, null)]],
  ["no row with hooks in the project", [hooked(BEA, "b")]],
])("given %s, the recipient's next hook looks by itself", (_, rows) => {
  const { deps, closed } = place(["b"]);
  expect(raiseFlags(deps, rows, [ANN])).toEqual(new Set());
  expect(closed).toEqual([ANN]);
});

test("given a store that fails, the recipient's next hook looks by itself", async () => {
  const { deps, closed } = place(["a"]);
  await raiseFlagsIn({ ...deps, store: { ...deps.store, readSessions: failing } }, "/p", [ANN]);
  expect(closed).toEqual([ANN]);
});

test("of sessions without a room, those whose flag cannot be raised look by themselves", () => {
  const { deps, closed } = place(["a"]);
  flagSessions(deps, [hooked(ANN, "a"), hooked(BEA, "b")]);
  expect(closed).toEqual([BEA]);
});
