/** A session hears by its hooks of a stick that a person gave it, also of one that it may take only after a pause. */
import { beforeEach, expect, test } from "vitest";
import { asAgentId } from "../../src/core/ids.ts";
import { createTalkingStick, type TalkingStick } from "../../src/surfaces/library/talking-stick.ts";
import { accepted } from "../support/service-world.ts";
import { idOf } from "../support/session-clues.ts";
import { HookService } from "./hook-service.ts";

const S = "session-1";
const ME = idOf("claude", S);

let service: HookService;
let roomId: string;
let person: TalkingStick;

beforeEach(async () => {
  service = new HookService();
  await service.peer("codex:bob");
  await service.hook("session-start", S);
  await service.hook("prompt", S);
  const human = { agentId: asAgentId("human:ann"), harness: "human", isPerson: true, process: null, sessionId: null };
  person = createTalkingStick(service.deps, { ...service.caller(S), ...human });
  ({ roomId } = accepted(await person.joinPath({ contextPath: service.tree })));
});

test("the next hook tells it", async () => {
  accepted(await person.giveStick({ roomId, toAgentId: ME }));
  expect(service.flags).toEqual(new Set([S]));
  expect(await service.hook("post-tool", S)).toContain("take it with wait_for_turn");
});

test("a stick that was given during a pause is told after it, and not before", async () => {
  accepted(await person.pauseRoom({ roomId }));
  accepted(await person.giveStick({ roomId, toAgentId: ME }));
  const during = await service.hook("post-tool", S);
  expect(during).toContain("I have paused the room");
  expect(during).not.toContain("take it with wait_for_turn");
  accepted(await person.resumeRoom({ roomId }));
  expect(service.flags).toEqual(new Set([S]));
  const after = await service.hook("post-tool", S);
  expect(after).toContain("I have resumed the room");
  expect(after).toContain("take it with wait_for_turn");
});

test("a holder in a paused room is told at the end of its turn to release, and is offered no pass", async () => {
  accepted(await person.giveStick({ roomId, toAgentId: ME }));
  await service.hook("post-tool", S);
  const me = createTalkingStick(service.deps, service.caller(S));
  accepted(await me.waitForTurn({ roomId, maxWaitMs: 0 }));
  accepted(await person.pauseRoom({ roomId }));
  const said = await service.hook("stop", S);
  expect(said).toContain("The room is paused: stop writing, and hand the stick on with release_stick");
  expect(said).not.toContain("pass_stick");
});
