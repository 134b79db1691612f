import { expect, it } from "vitest";
import { peersText } from "../../../src/surfaces/cli/text/peers.ts";
import { stateText } from "../../../src/surfaces/cli/text/room.ts";
import { widthOf } from "../../../src/surfaces/words/width.ts";
import { pageOf } from "../../support/page.ts";

const NAMES = ["plain", "\u8a9e\u5b66\u8005", "e\u0301te\u0301", "a\u200bb", "\ud83c\udf89"];

const DAWN = new Date(0).toISOString();

/** How many columns come before the facts that every line ends with. */
const startsOfFacts = (text: string) =>
  text
    .split("\n")
    .filter((line) => line.includes("reachable"))
    .map((line) => widthOf(line.slice(0, line.indexOf("reachable"))));

it("the columns of peers and of members stand below each other, whatever names are written in", () => {
  const agents = NAMES.map((name) => ({ agentId: `${name}:1`, handle: name, status: "active", reachable: true }));
  const options = { ...pageOf(100, { ids: true }), nowMs: 0, directory: "/" };
  const peers = agents.map((agent) => ({ ...agent, activity: "unknown", unread: 0, stateCard: null }));
  const members = agents.map((agent) => ({ ...agent, queuePosition: null, lastSeenAt: null, stateCard: null }));
  const shown = peersText(peers as unknown as Parameters<typeof peersText>[0], null, options);
  expect(startsOfFacts(shown)).toEqual(NAMES.map(() => 2 + 13 + 19));
  const room = {
    state: "idle",
    canonicalPath: "/tree",
    turnId: 1,
    project: "/tree",
    roomId: "r",
    updatedAt: DAWN,
    guard: "off",
    paused: null,
  };
  const view = { ...options, room, members, me: null } as unknown as Parameters<typeof stateText>[0];
  expect(startsOfFacts(stateText(view))).toEqual(NAMES.map(() => 4 + 13 + 19));
});
