/** What a waiter sees of a mailbox that is larger than one page of it. */
import { beforeEach, expect, it } from "vitest";
import { LIMITS } from "../../src/core/limits.ts";
import { MailWatch } from "../../src/mail/mail-watch.ts";
import { takeMessages } from "../../src/mail/take-messages.ts";
import { agentCalled } from "../support/service-ports.ts";
import { accepted, ServiceWorld } from "../support/service-world.ts";

const PAGE = LIMITS.deliveriesPerPage;
let world: ServiceWorld;
let roomId: string;

beforeEach(async () => {
  world = new ServiceWorld({ sendRatePerMin: 0 });
  const contextPath = world.directory("project");
  for (const agent of ["me", "many", "few"]) ({ roomId } = accepted(await world.as(agent).joinPath({ contextPath })));
});

async function send(from: string, count = 1): Promise<void> {
  for (let sent = 0; sent < count; sent += 1)
    accepted(await world.as(from).sendMessage({ roomId, to: "me", body: "hello" }));
}

/** The oldest message of that sender is in flight from now on, and holds the others back. */
async function hold(from: string): Promise<void> {
  const { answer } = accepted(await takeMessages(world.deps, agentCalled("me"), { from, ack: "manual" }));
  expect(answer.count).toBe(1);
}

const watch = () => new MailWatch(world.deps, agentCalled("me"));

it("given a sender whose mail is held back far behind the first page, its next message is no news", async () => {
  await send("many", PAGE);
  await send("few");
  expect(await watch().look()).toMatchObject({ hasNews: true, unread: PAGE + 1 });
  // Each may tell of a page.
  for (const before of [watch(), watch()]) {
    await before.look();
    await before.announce();
  }
  for (const sender of ["many", "few"]) await hold(sender);
  await send("few");
  expect(await watch().look()).toMatchObject({ hasNews: false, unread: PAGE + 2 });
});

it("given a first page that is held back, mail of another sender behind it is news", async () => {
  await send("many", PAGE + 1);
  await hold("many");
  expect((await watch().look()).hasNews).toBe(false);
  await send("few");
  expect((await watch().look()).hasNews).toBe(true);
});

it("given mail behind the first page that has expired, it is not counted", async () => {
  await send("many", PAGE + 1);
  world.nowMs += world.deps.policy.messageTtlMs + 1;
  expect(await watch().look()).toMatchObject({ hasNews: false, unread: 0 });
});
