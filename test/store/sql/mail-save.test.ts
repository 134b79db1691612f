import { expect, test } from "vitest";
import { asAgentId } from "../../../src/core/ids.ts";
import { type StoredMailbox } from "../../../src/core/mail-records.ts";
import { beginMail, withBox } from "../../../src/mail/rules/mail-change.ts";
import { emptyMailbox } from "../../../src/mail/rules/mailbox.ts";
import { saveMail } from "../../../src/store/sql/mail-save.ts";
import { mailboxes } from "../../../src/store/sql/tables.ts";

const empty = emptyMailbox(asAgentId("claude:1"));
const known: StoredMailbox = { ...empty, counts: { ...empty.counts, pending: 1 } };

function saved(before: StoredMailbox, now: StoredMailbox) {
  const boxes = new Map([[before.agentId, before]]);
  const statements = saveMail(withBox(beginMail(boxes), now), { boxes, deliveries: [] });
  expect(statements).toHaveLength(1);
  return statements[0]!;
}

test("where only the counts of a mailbox differ, only they are written", () => {
  const { sql, params } = saved(known, { ...known, counts: { ...known.counts, acked: 1 } });
  expect(sql).toMatch(
    /^UPDATE mailboxes SET pending = \?, in_flight = \?, acked = \?, dead_letter = \?, expired = \?, shown = \? WHERE/,
  );
  expect(params).toEqual([1, 0, 1, 0, 0, 0, "claude:1"]);
});

test.each(Object.keys(known).filter((field) => !["counts", "shown", "agentId"].includes(field)))(
  "a mailbox with another %s is written whole",
  (field) => {
    const now = {
      ...known,
      [field]: typeof known[field as keyof StoredMailbox] === "number" ? 7 : [],
    } as StoredMailbox;
    const { sql, params } = saved(known, field === "allowance" ? { ...known, allowance: ALLOWANCE } : now);
    expect(sql).toMatch(/^INSERT INTO mailboxes .* ON CONFLICT/s);
    expect(params).toHaveLength(mailboxes.names().length);
  },
);

test("a mailbox that was never written to is written whole", () => {
  expect(saved(empty, { ...empty, counts: { ...empty.counts, pending: 1 } }).sql).toMatch(/^INSERT INTO mailboxes/);
});

const ALLOWANCE = { left: 1, at: { epoch: "boot", ms: 1 } };
