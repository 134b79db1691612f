import { expect } from "vitest";
import { PEER, type Peer } from "../support/peer.ts";
import { answerIn } from "../support/script.ts";
import { expectShownOnce } from "../support/shown-once.ts";
import type { Scenario } from "./scenario.ts";

const TAKEN = "Taken, and never read to its end.";
const LATER = "Sent while you were dead.";
/** As long as nobody need wait for it. */
const SOON = ["inflight_timeout_ms=1000", "base_backoff_ms=1", "gone_grace_ms=1000"];

/** A session whose harness was killed goes on in another process. It was in the room all the time. */
export const resumedAfterKill: Scenario = {
  title: "Killed and resumed, the same agent, with stick and mail",
  async run({ world, driver, peer }) {
    const { name, ours, shell } = driver;
    const [begun, go, never, seen] = [world.mark("begun"), world.mark("go"), world.mark("never"), world.mark("seen")];
    // The message comes while a command runs, and that command itself takes it, before a hook can.
    const take = `touch '${begun.path}'; until [ -e '${go.path}' ]; do sleep 0.05; done; . '${go.path}'`;
    world.script({
      before: [ours("get_my_session"), ours("wait_for_turn"), shell(take), { text: "Done.", waitFor: never.path }],
      after: [{ ...ours("get_my_session"), waitFor: seen.path }, ours("wait_for_turn")],
    });
    await peer.changePolicy(SOON);
    const running = driver.prompt(world, "<<script before>>").catch(() => "killed");
    await begun.isThere();
    const [me] = world.answers(name, "before").map(answerIn);
    const { agent_id: id, session_id: session } = me as { agent_id: string; session_id: string };
    const { id: taken } = await peer.send(id, TAKEN);
    go.set(world.tt(`mailbox dequeue '${id}' > /dev/null`));
    await world.until(`${name} has taken it`, () => world.answers(name, "before").length === 3);
    await world.kill(name);
    expect(await running).toBe("killed");
    const { id: later } = await peer.send(name, LATER);
    await peer.seesState(taken, "pending");
    // Where one process serves many sessions, its end says nothing about any of them.
    if (name !== "opencode") while ((await roomState(peer)) !== "owner_gone");
    const resumed = driver.prompt(world, "<<script after>>", { resumed: session });
    await world.until(`${name} is asked`, () => world.hasBegun(name, "after"));
    // It has called no tool yet, and nobody could take its stick any more.
    expect(await roomState(peer)).toBe("owned");
    seen.set();
    expect(await resumed).toBe(session);
    expect(world.answers(name, "after").map(answerIn)).toMatchObject([
      { agent_id: id },
      { status: "your_turn", turn_id: 1, reason: "already_owner" },
    ]);
    expectShownOnce(world.requestsOf(name, "after"), { [taken]: TAKEN, [later]: LATER });
    for (const messageId of [taken, later]) await peer.seesState(messageId, "acked");
    // It has left in the end, as one that was there once.
    expect(await peer.members()).toEqual([PEER]);
    const { events } = (await peer.tt("events", "--limit", "200")) as { events: readonly RoomEvent[] };
    const moves = events.filter((event) => event.from_agent_id === id && event.event_type.startsWith("member_"));
    expect(moves.map(({ event_type: type }) => type)).toEqual(["member_joined", "member_left"]);
  },
};

async function roomState(peer: Peer): Promise<unknown> {
  const { room } = (await peer.tt("state")) as { room: { state: unknown } };
  return room.state;
}

interface RoomEvent {
  readonly event_type: string;
  readonly from_agent_id: string | null;
}
