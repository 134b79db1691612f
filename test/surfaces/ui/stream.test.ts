/** What a stream brings to a page: each event once, whatever happens to the line, the store, the room and the page. */
import { renameSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { PassThrough, type Writable } from "node:stream";
import { describe, expect, test } from "vitest";
import { pruneRooms } from "../../../src/room/prune-rooms.ts";
import { LineWriter } from "../../../src/surfaces/ui/line-writer.ts";
import type { LogLine, StreamLine } from "../../../src/surfaces/wire/stream-line.ts";
import { writeNewerEvent } from "../../support/newer-event.ts";
import type { StreamReader } from "../../support/page-client.ts";
import { accepted, actor } from "../../support/sqlite-world.ts";
import { serve, talkers } from "./served.ts";

const logIn = (lines: readonly StreamLine[]) => lines.filter((line): line is LogLine => line.line === "log");
const upTo = (stream: StreamReader, seq: number) => stream.until(() => stream.seqs.at(-1) === seq);
const troubles = ({ lines }: StreamReader) => lines.flatMap((line) => (line.line === "trouble" ? [line.words] : []));
const writerTo = (response: Writable) => new LineWriter(response as ServerResponse);
const count = (last: number, from = 1) => Array.from({ length: last - from + 1 }, (_, index) => from + index);

test("a page that is cut off again and again has each event once", async () => {
  const { ground, room, say, seqs } = await talkers();
  const { client } = await serve(ground);
  await say(5);
  // In the middle of the first line of the log: what came of it does not count.
  const half = client.stream({ room }, { cutAfter: 2600 });
  await half.ended();
  const got = [...half.seqs];
  for (let round = 0; round < 20; round += 1) {
    const stream = client.stream({ room, afterSeq: got.at(-1) ?? null });
    const writing = say(3);
    await stream.until(() => stream.seqs.length > 0);
    stream.cut();
    got.push(...stream.seqs);
    await writing;
  }
  const all = await seqs();
  const last = client.stream({ room, afterSeq: got.at(-1) ?? null });
  await last.until(() => [...got, ...last.seqs].length >= all.length);
  expect([...got, ...last.seqs]).toEqual(all);
});

test("a page that names no event gets the newest; one that was away for too long gets them in place of what it has", async () => {
  const { ground, room, say } = await talkers();
  await say(20);
  const { client } = await serve(ground);
  const fresh = client.stream({ room });
  await upTo(fresh, 22);
  expect(logIn(fresh.lines).map(({ isNewest }) => isNewest)).toEqual([true]);
  // A log that ends before the page's last event is another one.
  const ahead = client.stream({ room, afterSeq: 23 });
  await upTo(ahead, 22);
  expect([logIn(ahead.lines)[0]?.isNewest, ahead.seqs]).toEqual([true, count(22)]);
  const behind = client.stream({ room, afterSeq: 21 });
  await upTo(behind, 22);
  expect([logIn(behind.lines)[0]?.isNewest, behind.seqs]).toEqual([false, [22]]);
});

test("a page whose last event was removed with older ones gets what is left in place of what it has", async () => {
  const { ground, deps, room, claude, say } = await talkers();
  await say(5);
  accepted(await claude.addNote({ roomId: room, body: "keeps the room" }));
  const { client } = await serve(ground);
  for (const agent of [claude, actor(deps, "codex:1")]) accepted(await agent.leaveRoom({ roomId: room }));
  accepted(await pruneRooms(deps, { roomId: room, carryOut: true }));
  accepted(await claude.joinPath({ contextPath: ground.tree }));
  const stream = client.stream({ room, afterSeq: 3 });
  await upTo(stream, 11);
  expect([logIn(stream.lines)[0]?.isNewest, stream.seqs]).toEqual([true, [11]]);
});

test("while the store is away a page is told so, and afterwards it has each event once", async () => {
  const { ground, room, say, seqs } = await talkers();
  const { client, bugs } = await serve(ground);
  await say(3);
  const stream = client.stream({ room });
  await upTo(stream, 5);
  renameSync(ground.dataDir, `${ground.dataDir}-away`);
  await stream.until((lines) => lines.some((line) => line.line === "trouble" && line.words !== null));
  renameSync(`${ground.dataDir}-away`, ground.dataDir);
  await stream.until((lines) => lines.some((line) => line.line === "trouble" && line.words === null));
  await say(3);
  await upTo(stream, 8);
  expect(stream.seqs).toEqual(await seqs());
  expect(bugs).toEqual([]);
});

test("a room that is removed is missing from the list of rooms, and the stream goes on", async () => {
  const { ground, deps, room, claude, say } = await talkers();
  const other = accepted(await claude.joinPath({ contextPath: `${ground.tree}/../home` }));
  await say(1);
  const { client, bugs } = await serve(ground);
  const stream = client.stream({ room });
  const orders = () => stream.lines.flatMap((line) => (line.line === "rooms" ? [line.order] : []));
  await stream.until(() => orders().at(-1)?.length === 2);
  accepted(await claude.leaveRoom({ roomId: room }));
  accepted(await actor(deps, "codex:1").leaveRoom({ roomId: room }));
  expect(accepted(await pruneRooms(deps, { roomId: room, carryOut: true })).removed).toMatchObject({ rooms: 1 });
  await stream.until(() => orders().at(-1)?.length === 1);
  expect(orders().at(-1)).toEqual([other.roomId]);
  expect([stream.isOver, bugs]).toEqual([false, []]);
  // A page that is opened there later is told the same.
  const late = client.stream({ room, afterSeq: 3 });
  await late.until((lines) => lines.some(({ line }) => line === "rooms"));
  expect([logIn(late.lines), late.isOver]).toEqual([[], false]);
});

test("a log that cannot be read on is told as trouble for as long as that lasts, to new pages as well", async () => {
  const { ground, room } = await talkers();
  const { client, bugs } = await serve(ground);
  const stream = client.stream({ room });
  await upTo(stream, 2);
  // A type that only a newer program knows.
  writeNewerEvent(ground.database);
  await stream.until(() => troubles(stream).length > 0);
  // The pictures of the rooms can be made again without that event.
  const list = client.stream();
  await list.until((lines) => lines.some(({ line }) => line === "rooms") && (troubles(list).at(-1) ?? null) === null);
  const late = client.stream({ room, afterSeq: 2 });
  for (const one of [stream, late])
    await expect.poll(() => troubles(one).at(-1)).toMatch(/event_type .* Trying again/s);
  expect([stream.isOver, stream.seqs, late.seqs, bugs]).toEqual([false, [1, 2], [], []]);
  expect((await client.call("list_rooms")).status).toBe(200);
});

test("the lines of two rooms, and of a page without a room, do not mix", async () => {
  const { ground, room, claude, say } = await talkers();
  const { roomId } = accepted(await claude.joinPath({ contextPath: `${ground.tree}/../home` }));
  const { client } = await serve(ground);
  const [one, other, none] = [client.stream({ room }), client.stream({ room: roomId }), client.stream()];
  await say(2);
  accepted(await claude.addNote({ roomId, body: "there" }));
  await Promise.all([upTo(one, 4), upTo(other, 2)]);
  await none.until((lines) => lines.some(({ line }) => line === "rooms"));
  expect(new Set(logIn(one.lines).map((line) => line.roomId))).toEqual(new Set([room]));
  expect(new Set(logIn(other.lines).map((line) => line.roomId))).toEqual(new Set([roomId]));
  expect(logIn(none.lines)).toEqual([]);
});

describe("a page that reads slowly", () => {
  const line = { line: "trouble", words: "x".repeat(200) } as const;

  test("is sent a line only when it has taken the one before", async () => {
    const response = new PassThrough({ highWaterMark: 100 });
    const writer = writerTo(response);
    const sent: number[] = [];
    const sending = (async () => {
      for (let index = 0; index < 3; index += 1) {
        await writer.send(line);
        sent.push(index);
      }
    })();
    await new Promise(setImmediate);
    expect([sent, response.readableLength]).toEqual([[], `${JSON.stringify(line)}\n`.length]);
    response.resume();
    await sending;
    expect(sent).toEqual([0, 1, 2]);
  });

  test("is cut off at the third beat that it takes nothing, and its senders go on", async () => {
    const response = new PassThrough({ highWaterMark: 100 });
    const writer = writerTo(response);
    const sending = writer.send(line);
    writer.beat();
    writer.beat();
    expect(response.destroyed).toBe(false);
    writer.beat();
    expect(response.destroyed).toBe(true);
    await sending;
    await writer.send(line);
  });

  test("is not cut off if it takes something between the beats, and gets no beat while a line waits", async () => {
    const response = new PassThrough({ highWaterMark: 100 });
    const writer = writerTo(response);
    for (let round = 0; round < 5; round += 1) {
      const sending = writer.send(line);
      writer.beat();
      writer.beat();
      expect(String(response.read())).toBe(`${JSON.stringify(line)}\n`);
      await sending;
      writer.beat();
      expect(String(response.read())).toBe('{"line":"beat"}\n');
    }
    expect(response.destroyed).toBe(false);
  });
});
