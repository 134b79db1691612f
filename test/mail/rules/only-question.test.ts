/** An answer without an id goes to the one open question, or nowhere. */
import { expect, it } from "vitest";
import { asAgentId, asEventId, asHandle } from "../../../src/core/ids.ts";
import { type OpenQuestion, onlyQuestion } from "../../../src/mail/rules/only-question.ts";

function question(id: string, more: Partial<OpenQuestion> = {}): OpenQuestion {
  return {
    messageId: asEventId(id),
    from: asAgentId("codex:1"),
    handle: asHandle("codex"),
    body: "which port?",
    createdAt: "2026-01-01T00:00:00.000Z",
    isWaitedFor: false,
    isAskerGone: false,
    ...more,
  };
}

it("one question is answered, also when its asker has stopped waiting", () => {
  expect(onlyQuestion([question("q-1")])).toMatchObject({ messageId: "q-1" });
});

it("of several none is chosen, and all are listed", () => {
  expect(onlyQuestion([question("q-1"), question("q-2", { body: "which\nhost?" })])).toMatchObject({
    error: "ambiguous_id",
    facts: {
      candidates: ["q-1", "q-2"],
      questions: [
        { message_id: "q-1", handle: "codex", body: "which port?" },
        { message_id: "q-2", body: "which\\nhost?" },
      ],
    },
  });
});

it("a question whose asker is gone does not count, unless its call still waits", () => {
  const gone = question("q-1", { isAskerGone: true });
  expect(onlyQuestion([gone, question("q-2")])).toMatchObject({ messageId: "q-2" });
  expect(onlyQuestion([gone])).toMatchObject({ error: "message_not_found" });
  expect(onlyQuestion([{ ...gone, isWaitedFor: true }])).toMatchObject({ messageId: "q-1" });
});
