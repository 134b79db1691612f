/** What a connection knows of a mailbox from its own last change counts only as long as nobody else has changed it. */
import { expect, test } from "vitest";
import { MailWorld } from "../../store-contract/mail-world.ts";
import { accepted } from "../../support/service-world.ts";
import { newFile, openStore } from "./sqlite-file.ts";

const A = "claude:1";
const B = "codex:1";

/** Two connections to one file, as two processes have them. */
async function twoProcesses() {
  const file = newFile();
  const open = () => MailWorld.open(async () => ({ store: await openStore(file) }));
  const [one, other] = [await open(), await open()];
  await one.join(A, B);
  return { one, other };
}

test("mail that was acknowledged elsewhere is not counted twice", async () => {
  const { one, other } = await twoProcesses();
  const { messageId } = await one.send(A, B, "first");
  const taken = accepted(await one.as(B).takeMessages({}));
  accepted(await other.as(B).ackMessage({ messageId, attempt: 1 }));
  await taken.confirm();
  expect(await one.counts(B)).toMatchObject({ pending: 0, in_flight: 0, acked: 1 });
});

test("mail that came meanwhile is still there after an answer", async () => {
  const { one, other } = await twoProcesses();
  await one.send(A, B, "first");
  const taken = accepted(await other.as(B).takeMessages({}));
  await one.send(A, B, "second");
  await taken.confirm();
  expect(await one.counts(B)).toMatchObject({ pending: 1, in_flight: 0, acked: 1 });
  expect(await one.read(B)).toEqual(["second"]);
});

test("a connection that took twice answers for both, and for the first one again", async () => {
  const { one, other } = await twoProcesses();
  await one.join("gemini:1");
  await one.send(A, B, "from one");
  const first = accepted(await one.as(B).takeMessages({}));
  await one.send("gemini:1", B, "from another");
  const second = accepted(await one.as(B).takeMessages({}));
  for (const { confirm } of [first, second, first]) await confirm();
  expect([first.answer.count, second.answer.count]).toEqual([1, 1]);
  expect(await other.counts(B)).toMatchObject({ pending: 0, in_flight: 0, acked: 2 });
});
