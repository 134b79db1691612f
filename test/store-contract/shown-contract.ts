import { describe, expect, test } from "vitest";
import { asAgentId } from "../../src/core/ids.ts";
import type { MailWindow } from "../../src/engine/ports/mail-store.ts";
import { isShown } from "../../src/mail/rules/delivery.ts";
import { MailWorld } from "./mail-world.ts";
import type { OpenBackend } from "./store-world.ts";

const A = "claude:1";
const B = "codex:1";
const C = "gemini:1";
const OLD = "codex:old";

async function look(world: MailWorld, more: { readonly withShown?: true; readonly perSender?: number } = {}) {
  const lanes: MailWindow = { kind: "lanes", perSender: 50, from: null, ...more };
  const { window } = await world.deps.store.readMailbox(asAgentId(B), lanes);
  return window.deliveries;
}

/** The ids of the messages, in the order in which they were sent. */
async function sent(world: MailWorld, from: string, count: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) ids.push((await world.send(from, B, `${from} ${index}`)).messageId);
  return ids;
}

export function shownContract(openBackend: OpenBackend): void {
  const open = async () => {
    const world = await MailWorld.open(openBackend);
    await world.join(A, B, C);
    return world;
  };

  describe("mail that a hook has shown", () => {
    test("is in flight and not unread, and is read back as it was marked", async () => {
      const world = await open();
      const [id] = await sent(world, A, 1);
      expect(await world.hook(B, "prompted", "turn-1")).toEqual([id]);
      expect(await world.counts(B)).toMatchObject({ pending: 0, in_flight: 1, shown: 1, unread: 0 });
      const [delivery] = await look(world, { withShown: true });
      expect(delivery).toMatchObject({ messageId: id, attempts: [{ n: 1, outcome: "shown", shownIn: "turn-1" }] });
    });

    test("in a turn without a name is read back so", async () => {
      const world = await open();
      await sent(world, A, 1);
      await world.hook(B, "prompted", null);
      const [delivery] = await look(world, { withShown: true });
      expect(delivery?.attempts).toMatchObject([{ outcome: "shown", shownIn: null }]);
    });

    test.each([3, 48])(
      "is left out of the lanes, all of it, and comes along where it is asked for: %i",
      async (many) => {
        const world = await open();
        const ofA = await sent(world, A, many);
        const ofC = await sent(world, C, 2);
        await world.hook(B, "prompted", "t1", { limit: many - 1 });
        const later = await sent(world, A, 3);
        const ids = async (more: object) => (await look(world, more)).map(({ messageId }) => messageId);
        const [waiting, shown] = [[...ofA.slice(-1), ...later], ofA.slice(0, -1)];
        expect(await ids({ perSender: 2 })).toEqual([...waiting.slice(0, 1), ofC[0], ofC[1], later[0]]);
        expect((await ids({ perSender: 2, withShown: true })).toSorted()).toEqual(
          [...shown, ...waiting.slice(0, 2), ...ofC].toSorted(),
        );
        expect((await ids({})).toSorted()).toEqual([...waiting, ...ofC].toSorted());
        const all = await look(world, { withShown: true });
        expect(all.filter(isShown).map(({ messageId }) => messageId)).toEqual(shown);
        expect(all.map(({ messageId }) => messageId).toSorted()).toEqual([...ofA, ...ofC, ...later].toSorted());
      },
    );

    test("is taken by no other door and holds back nothing of its sender", async () => {
      const world = await open();
      await sent(world, A, 1);
      await world.hook(B, "prompted", "t1");
      await world.send(A, B, "next");
      expect(await world.read(B)).toEqual(["next"]);
      expect(await world.counts(B)).toMatchObject({ in_flight: 1, acked: 1, shown: 1, unread: 0 });
    });

    test("is counted as what becomes of it", async () => {
      const world = await open();
      const ids = await sent(world, A, 2);
      await world.hook(B, "prompted", "t1");
      expect(await world.counts(B)).toMatchObject({ in_flight: 2, shown: 2, unread: 0 });
      await world.hook(B, "broke_off", "t1", { limit: 0 });
      expect(await world.counts(B)).toMatchObject({ pending: 2, in_flight: 0, shown: 0, unread: 2 });
      expect(await world.hook(B, "prompted", "t2", { limit: 1 })).toEqual(ids.slice(0, 1));
      expect(await world.counts(B)).toMatchObject({ pending: 1, in_flight: 1, shown: 1, unread: 1 });
      expect(await world.hook(B, "went_on", "t2", { dies: true })).toEqual(ids.slice(1));
      expect(await world.counts(B)).toMatchObject({ in_flight: 1, acked: 1, shown: 0, unread: 1 });
      const [delivery] = await look(world);
      expect(delivery?.attempts).toMatchObject([{ outcome: "given_back", shownIn: "t1" }, { outcome: "in_flight" }]);
    });

    test("is purged with the rest", async () => {
      const world = await open();
      await sent(world, A, 2);
      await world.hook(B, "prompted", "t1", { limit: 1 });
      expect(await world.as(B).purgeMailbox()).toMatchObject({ purged: 2 });
      expect(await world.counts(B)).toMatchObject({ pending: 0, in_flight: 0, expired: 2, shown: 0, unread: 0 });
    });

    test("under either name of a session is shown in the mailbox that the two become", async () => {
      const world = await open();
      await world.join(OLD);
      const { messageId: former } = await world.send(A, OLD, "to the old name");
      const { messageId: own } = await world.send(A, B, "to the new one");
      await world.hook(OLD, "prompted", "t1");
      await world.hook(B, "prompted", "t1");
      await world.send(A, OLD, "unread");
      world.remember(B, OLD);
      await world.join(B);
      expect(await world.counts(B)).toMatchObject({ pending: 1, in_flight: 2, shown: 2, unread: 1 });
      const all = await look(world, { withShown: true });
      expect(all.filter(isShown).map(({ messageId }) => messageId)).toEqual([former, own]);
      await world.hook(B, "went_on", "t1", { limit: 0 });
      expect(await world.counts(OLD)).toMatchObject({ pending: 1, in_flight: 0, acked: 2, shown: 0, unread: 1 });
    });
  });
}
