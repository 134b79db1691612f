import { expect, it } from "vitest";
import { asAgentId } from "../../src/domain/ids.ts";
import { sendMessage } from "../../src/service/mail/send-message.ts";
import { mailboxCaller } from "../../src/service/mailbox/caller.ts";
import { processOf } from "../support/room-world.ts";
import { accepted, ServiceWorld } from "../support/service-world.ts";

it("nothing is taken twice when the reply to a dead process's question turns out to be free", async () => {
  const world = new ServiceWorld();
  const contextPath = world.directory("tree");
  for (const agent of ["claude:1", "codex:1", "gemini:1"]) accepted(await world.as(agent).joinPath({ contextPath }));
  const { roomId } = accepted(await world.as("claude:1").joinPath({ contextPath }));
  const ask = { kind: "ask", ask: { forMs: 60_000, callerProcess: processOf("asker") } };
  const question = { roomId, to: "codex:1", body: "which port?" };
  const asked = accepted(await sendMessage(world.deps, mailboxCaller(asAgentId("claude:1")), question, ask));
  accepted(await world.as("gemini:1").sendMessage({ roomId, to: "claude:1", body: "other talk" }));
  accepted(await world.as("codex:1").replyToMessage({ roomId, messageId: asked.messageId, body: "8080" }));
  world.gone.add("asker");
  const taken = accepted(await world.as("claude:1").takeMessages({}));
  expect(taken.answer.messages.map(({ body, attempt }) => [body, attempt])).toEqual([
    ["other talk", 1],
    ["8080", 1],
  ]);
});
