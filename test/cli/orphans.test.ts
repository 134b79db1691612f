/** Commands that outlive the harness in which they were started, as a shell in the background does. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it, onTestFinished } from "vitest";
import { CliWorld, type RunOptions } from "./support/cli-world.ts";

const A = { as: "a:1" };
const RELEASE = ["release", "--json", "--status", "parser done", "--next-action", "write the tests"];

interface Harness {
  readonly process: ChildProcess;
  /** Runs a command as the agent that lives in this harness. */
  readonly agent: RunOptions;
}

function harnessOf(name: string): Harness {
  const process = spawn("sleep", ["1000"], { stdio: "ignore" });
  onTestFinished(() => void process.kill("SIGKILL"));
  return { process, agent: { as: name, env: { TT_AGENT_PID: String(process.pid) } } };
}

async function killed({ process }: Harness): Promise<void> {
  process.kill("SIGKILL");
  await once(process, "exit");
}

async function heldByA(goneGraceMs = 3000): Promise<CliWorld> {
  const world = new CliWorld();
  await world.done("try", { ...A, env: { TT_GONE_GRACE_MS: String(goneGraceMs) } });
  return world;
}

function memberIn({ members }: Record<string, unknown>, agent: string): Record<string, unknown> | undefined {
  return (members as Record<string, unknown>[]).find((member) => member["agent_id"] === agent);
}

it("a wait ends with 5 when its harness is killed, and the stick goes to a live agent", async () => {
  const world = await heldByA();
  const harness = harnessOf("b:2");
  const waiting = world.start("wait --json --timeout 10m", harness.agent);
  await world.untilWaiting("b:2");
  await killed(harness);
  const { code, stdout } = await waiting.ended;
  expect([code, stdout]).toEqual([5, ""]);
  expect(JSON.parse(waiting.stderr)).toMatchObject({ error: "session_ended", agent_id: "b:2" });
  const left = await world.until(
    "state --json",
    (outcome) => memberIn(outcome.json(), "b:2")?.["status"] === "inactive",
  );
  expect(memberIn(left.json(), "b:2")).toMatchObject({ waiting: false, queue_position: null });
  expect((await world.done(RELEASE, A)).json()).toMatchObject({ reserved_for: null, waiting_count: 0 });
});

it("a session that is resumed keeps the stick, whatever its killed harness has left running", async () => {
  const world = await heldByA(0);
  const [harness, resumed] = [harnessOf("b:2"), harnessOf("b:2")];
  const waiting = world.start("wait --json --timeout 10m", harness.agent);
  await world.untilWaiting("b:2");
  await killed(harness);
  await world.done("join", resumed.agent);
  await world.done(RELEASE, A);
  expect((await waiting.ended).code).toBe(5);
  expect((await world.done("try --json", resumed.agent)).json()).toMatchObject({ status: "your_turn", turn_id: 2 });
  expect((await world.tt("try --json", A)).json()).toMatchObject({ status: "not_yet", room_state: "owned" });
});

interface Told {
  readonly messageId: string;
  readonly willBeSeen: unknown;
}

async function messageToB(world: CliWorld): Promise<Told> {
  const sent = (await world.done("msg send b:2 important --json", A)).json();
  const [delivery] = sent["deliveries"] as Record<string, unknown>[];
  return { messageId: String(sent["message_id"]), willBeSeen: delivery?.["will_be_seen"] };
}

it.each(["listen --json --timeout 10m", "msg recv --follow --json", "msg recv --wait --json --timeout 10m"])(
  "tt %s ends with 5 when its harness is killed, and leaves the mail to the session that is resumed",
  async (line) => {
    const world = await heldByA();
    const harness = harnessOf("b:2");
    await world.done("join", harness.agent);
    const receiving = world.start(line, harness.agent);
    await receiving.untilInterruptible();
    await world.until("state --json", (outcome) => memberIn(outcome.json(), "b:2")?.["reachable"] === true);
    await killed(harness);
    const { willBeSeen } = await messageToB(world);
    expect(willBeSeen).not.toBe("now");
    const { code } = await receiving.ended;
    expect([code, receiving.stdout]).toEqual([5, ""]);
    expect(JSON.parse(receiving.stderr)).toMatchObject({ error: "session_ended" });
    const { messageId } = await messageToB(world);
    const resumed = (await world.done("msg recv --json", harnessOf("b:2").agent)).json();
    expect(resumed["messages"]).toMatchObject([{ attempt: 1 }, { attempt: 1, message_id: messageId }]);
  },
);

it("a question ends with 5 when its harness is killed, and the answer comes to the session that is resumed", async () => {
  const world = await heldByA();
  const harness = harnessOf("b:2");
  const asking = world.start("ask a:1 --json --timeout 5m which-port?", harness.agent);
  const asked = await world.until("msg recv --json", (outcome) => outcome.json()["count"] === 1, A);
  const [{ message_id }] = asked.json()["messages"] as [{ message_id: string }];
  await killed(harness);
  expect((await asking.ended).code).toBe(5);
  await world.done(["reply", message_id, "8080"], A);
  const resumed = (await world.done("msg recv --json", harnessOf("b:2").agent)).json();
  expect(resumed["messages"]).toMatchObject([{ body: "8080", reply_to: message_id, attempt: 1 }]);
});
