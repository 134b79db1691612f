import { expect, it } from "vitest";
import { LIMITS } from "../../src/core/limits.ts";
import { accepted, ServiceWorld } from "../support/service-world.ts";

it("a page of dead letters says that there are more, and where they go on", async () => {
  const world = new ServiceWorld({ maxRetries: 0, sendRatePerMin: 0 });
  const contextPath = world.directory("tree");
  const { roomId } = accepted(await world.as("a:1").joinPath({ contextPath }));
  accepted(await world.as("b:2").joinPath({ contextPath }));
  const count = LIMITS.deadLettersPerRead + 1;
  for (let index = 0; index < count; index += 1) {
    const body = `letter ${index}`;
    const { messageId } = accepted(await world.as("a:1").sendMessage({ roomId, to: "b:2", body }));
    await world.as("b:2").takeMessages({ ack: "manual" });
    accepted(await world.as("b:2").nackMessage({ messageId, attempt: 1, reason: "no" }));
  }
  const first = accepted(await world.as("b:2").listDeadLetters());
  expect([first.deadLetters.length, first.hasMore]).toEqual([LIMITS.deadLettersPerRead, true]);
  const rest = accepted(await world.as("b:2").listDeadLetters({ afterDeliverySeq: first.cursorDeliverySeq }));
  expect(rest).toMatchObject({ deadLetters: [{ body: `letter ${count - 1}` }], hasMore: false });
  expect(await world.as("b:2").listDeadLetters({ limit: 0 })).toMatchObject({ error: "invalid_input" });
  const exact = accepted(
    await world.as("b:2").listDeadLetters({ limit: 1, afterDeliverySeq: first.cursorDeliverySeq }),
  );
  expect(exact).toMatchObject({ hasMore: false });
});
