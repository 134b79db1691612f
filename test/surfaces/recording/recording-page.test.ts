/** The page of a recording: what stands in its file, and what it reads from it again. */
import { describe, expect, it } from "vitest";
import { gzipBase64, sha256Base64 } from "../../../src/platform/page/recording-file.ts";
import { openRecording, type RecordedSource } from "../../../src/surfaces/page/recorded-source.ts";
import { recordingPage } from "../../../src/surfaces/recording/recording-page.ts";
import { RECORDING_ELEMENT, type Recording } from "../../../src/surfaces/wire/recording.ts";
import { ToldRoom } from "./told-room.ts";

const TOOLS = { digest: sha256Base64, compressed: gzipBase64 };
const PARTS = {
  html: '<!doctype html><html><head>\n<meta charset="utf-8">\n<link rel="stylesheet" href="/page.css">\n</head><body><noscript>x</noscript><script src="/page.js"></script></body></html>',
  script: 'console.log("<!-- $& $1 -->");',
  style: "body { margin: 0 }",
};
const HOSTILE = [
  "</script><script>alert(1)</script>",
  "<!-- <script> ]]>",
  "\u202Egnp.exe\u202C\u2066x",
  "\u2028\u2029\u0000\u001b[31m",
  "$& $1 $` $' $$",
  "x".repeat(8000),
  "\ud800 and \udc00",
  '"><img src=x onerror=alert(1)>',
];

async function opened(html: string): Promise<RecordedSource> {
  const [, textContent = ""] = new RegExp(`id="${RECORDING_ELEMENT}">([^<]*)</script>`).exec(html) ?? [];
  return openRecording({ textContent });
}

/** A recording in which agents have said all of it. */
async function recordedTalk(bodies: readonly string[]): Promise<Recording> {
  const world = await new ToldRoom(3).play(0);
  const { roomId } = world;
  for (const body of bodies) await world.as("claude:1").sendMessage({ roomId, to: "room", body });
  return world.recorded();
}

it("given hostile bodies, when the page is made and read again, then they are in it to the letter and end no element", async () => {
  const recording = await recordedTalk(HOSTILE);
  const html = await recordingPage(PARTS, recording, TOOLS);
  expect(html.match(/<\/script/gi)).toHaveLength(2);
  expect(html).not.toMatch(/<!--|alert|onerror|gnp\.exe/);
  const { log } = await opened(html);
  expect(log.recording).toEqual(recording);
  const bodies = log.eventsTo(log.last).flatMap(({ payload }) => ("bodyBytes" in payload ? payload.body : []));
  expect(bodies).toEqual(HOSTILE);
});

it("given the parts of a build, when the page is made, then its policy lets exactly these parts run and load", async () => {
  const html = await recordingPage(PARTS, await recordedTalk([]), TOOLS);
  const [, policy = ""] = /Content-Security-Policy" content="([^"]*)"/.exec(html) ?? [];
  const [, script = ""] = /<script>([^]*?)<\/script>/.exec(html) ?? [];
  const [, style = ""] = /<style>([^]*?)<\/style>/.exec(html) ?? [];
  expect([script, style]).toEqual(['console.log("\\x3C!-- $& $1 -->");', PARTS.style]);
  expect(policy.split("; ")).toEqual([
    "default-src 'none'",
    `script-src 'sha256-${sha256Base64(script)}'`,
    `style-src 'sha256-${sha256Base64(style)}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ]);
  // The policy comes before all that it is about, and no part is named that would have to be loaded.
  expect(html.indexOf("Content-Security-Policy")).toBeLessThan(html.indexOf("<style>"));
  expect(html).not.toMatch(/\ssrc=|\shref=/);
});

it("given a damaged file, when it is opened, then it is refused and not half read", async () => {
  const html = await recordingPage(PARTS, await recordedTalk(["hello"]), TOOLS);
  await expect(opened(html.replace('id="recording">H4', 'id="recording">AA'))).rejects.toThrow();
  await expect(openRecording({ textContent: null })).rejects.toThrow();
});

async function atEnd(): Promise<RecordedSource> {
  const world = await new ToldRoom(7).play(120);
  return opened(await recordingPage(PARTS, await world.recorded(), TOOLS));
}

describe("given the page of a recording", () => {
  it("when the person moves, then what the page asks is answered as of then", async () => {
    const source = await atEnd();
    const { last } = source.log;
    const seen = new Set<string>();
    for (const position of [0, Math.floor(last / 2), last]) {
      source.moveTo(position);
      const { events } = await source.ask("get_room_events", { limit: last });
      expect(events).toHaveLength(position);
      const { turns } = await source.ask("list_turns", { limit: last });
      const grants = events.filter(({ eventType }) => eventType === "claim" || eventType === "takeover");
      expect(turns).toHaveLength(grants.length);
      const { notes } = await source.ask("list_notes", { unresolved_only: true });
      expect(notes).toHaveLength(source.log.pictureAt(position).now.openNotes);
      seen.add(JSON.stringify(source.state().rooms));
    }
    expect(seen.size).toBe(3);
  });

  it("when the person asks for more than it has, or wants to act, then that is refused in words", async () => {
    const source = await atEnd();
    await expect(source.ask("read_session", { name: "claude:1" })).rejects.toThrow("no transcripts");
    await expect(source.ask("dead_letters", {})).rejects.toThrow("no mailboxes");
    for (const step of ["send_message", "takeover_stick", "give_stick", "pause_room", "kick_member"] as const) {
      await expect(source.ask(step, {})).rejects.toThrow("nothing can be done in it");
    }
    await expect(source.ask("diff_turn", { turn_id: 1 })).rejects.toThrow("no diffs");
  });

  it("when a place is named that it does not have, then the nearest one is shown", async () => {
    const source = await atEnd();
    source.moveTo(-5);
    expect(source.position()).toBe(0);
    source.moveTo(Number.NaN);
    expect(source.position()).toBe(0);
    source.moveTo(1e9);
    expect(source.position()).toBe(source.log.last);
  });
});

it("given an event of a newer program, when any moment after it is shown, then the room is as it was without it", async () => {
  const world = await new ToldRoom(5).play(60);
  const recording = await world.recorded();
  const at = Math.floor(recording.events.length / 2);
  const newer = { ...recording.events[at], type: "teleported", eventId: "newer", payload: { to: "</script>" } };
  const later = recording.events.slice(at).map((event) => ({ ...event, seq: event.seq + 1 }));
  const events = [...recording.events.slice(0, at), newer, ...later] as unknown as Recording["events"];
  const told = { ...recording, events, end: null };
  const [without, source] = [
    new Map(recording.events.map(({ eventId }, index) => [eventId, index + 1])),
    await opened(await recordingPage(PARTS, told, TOOLS)),
  ];
  const plain = await opened(await recordingPage(PARTS, { ...recording, end: null }, TOOLS));
  for (const [index, { eventId }] of source.log.recording.events.entries()) {
    const shown = source.log.pictureAt(index + 1);
    const position = without.get(eventId) ?? at;
    const { now, agents } = plain.log.pictureAt(position);
    expect({ ...shown.now, holder: shown.now.holder?.agentId }).toEqual({ ...now, holder: now.holder?.agentId });
    expect(shown.agents.map(({ agentId }) => agentId)).toEqual(agents.map(({ agentId }) => agentId));
  }
  expect(source.log.last).toBe(plain.log.last + 1);
});
