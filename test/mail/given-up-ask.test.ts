import { expect, it } from "vitest";
import type { Store } from "../../src/engine/ports/store.ts";
import { mailboxCaller } from "../../src/mail/mailbox-protocol/caller.ts";
import { createTalkingStick } from "../../src/surfaces/library/talking-stick.ts";
import { accepted, ServiceWorld } from "../support/service-world.ts";

it("a reply that is taken in the moment in which its asker gives up can be read at once", async () => {
  const world = new ServiceWorld();
  const contextPath = world.directory("tree");
  for (const agent of ["a:1", "b:2"]) accepted(await world.as(agent).joinPath({ contextPath }));
  const { roomId } = accepted(await world.as("a:1").joinPath({ contextPath }));
  const giveUp = new AbortController();
  const deps = { ...world.deps, store: afterReplyTaken(world.deps.store, () => giveUp.abort()) };
  const asked = createTalkingStick(deps, mailboxCaller(world.as("a:1").agentId)).askPeer({
    roomId,
    to: "b:2",
    body: "which port?",
    timeoutMs: 60_000,
    signal: giveUp.signal,
  });
  const [question] = accepted(await world.as("b:2").receiveMessages({ maxWaitMs: 60_000 })).answer.messages;
  accepted(await world.as("b:2").replyToMessage({ roomId, messageId: question?.messageId as string, body: "8080" }));
  expect(accepted(await asked).answer).toMatchObject({ reply: null, timedOut: false });
  const { messages } = accepted(await world.as("a:1").takeMessages({})).answer;
  expect(messages).toMatchObject([{ body: "8080", attempt: 2, late: true, requestId: question?.messageId }]);
});

function afterReplyTaken(store: Store, notice: () => void): Store {
  const changeMailbox: Store["changeMailbox"] = async (...args) => {
    const changed = await store.changeMailbox(...args);
    const deliveries = [...changed.mail.deliveries.values()];
    if (deliveries.some(({ attempts }) => attempts.at(-1)?.transport === "ask")) notice();
    return changed;
  };
  return new Proxy(store, {
    get: (target, key) => {
      if (key === "changeMailbox") return changeMailbox;
      const value: unknown = Reflect.get(target, key);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
