/** The page's server in the process of the test, with a store in files beside it that others change. */
import { existsSync } from "node:fs";
import { onTestFinished } from "vitest";
import { Fault } from "../../../src/core/fault.ts";
import type { RoomId } from "../../../src/core/ids.ts";
import type { Deps } from "../../../src/engine/deps.ts";
import { createRunSecret } from "../../../src/platform/page/run-secret.ts";
import type { CliContext } from "../../../src/surfaces/cli/context.ts";
import type { TalkingStick } from "../../../src/surfaces/library/talking-stick.ts";
import { BoardFeed } from "../../../src/surfaces/ui/board-feed.ts";
import { streamTo } from "../../../src/surfaces/ui/open-ui.ts";
import type { PageAnswer } from "../../../src/surfaces/ui/page-calls.ts";
import { PageStore } from "../../../src/surfaces/ui/page-store.ts";
import { UiServer } from "../../../src/surfaces/ui/ui-server.ts";
import type { HelloLine } from "../../../src/surfaces/wire/stream-line.ts";
import { PageClient } from "../../support/page-client.ts";
import { accepted, actor, type Ground, groundAt, openWorld } from "../../support/sqlite-world.ts";
import { quickDirectory } from "../../support/temporary-directory.ts";

const HELLO: HelloLine = { line: "hello", version: "0", me: null, readOnly: null, here: null };
const FILE = { type: "text/plain", bytes: Buffer.from("a file") };

interface Serving {
  readonly answer?: (operation: string, cancel: AbortSignal) => Promise<PageAnswer>;
  /** More files. */
  readonly files?: Readonly<Record<string, Uint8Array>>;
}

export interface Served {
  readonly client: PageClient;
  /** What the server said to be bugs. */
  readonly bugs: readonly unknown[];
  readonly end: () => Promise<void>;
}

/** A server whose store is opened again from its files, as often as it asks for it. */
export async function serve(ground: Ground, { answer, files = {} }: Serving = {}): Promise<Served> {
  let deps: Promise<Deps> | null = null;
  const open = () => {
    if (!existsSync(ground.database)) throw new Fault("store_unreachable", "Gone.", { next: "Wait.", retry: true });
    return openWorld(ground);
  };
  const close = async () => {
    const before = await deps;
    deps = null;
    await before?.bell.close();
    await before?.store.close();
  };
  const opened = async () => (deps ??= open());
  const context = { args: { isSet: () => false }, deps: opened, close } as unknown as CliContext;
  const bugs: unknown[] = [];
  const broken = (error: unknown) => void bugs.push(error);
  const store = new PageStore(context, "read");
  const feed = new BoardFeed({ context, store, person: null, broken });
  const quit = new AbortController();
  const secret = createRunSecret();
  const bytes = Object.entries(files).map(([path, file]) => [path, { ...FILE, bytes: file }] as const);
  const server = new UiServer({
    ports: { secret, files: new Map([["/", FILE], ...bytes]) },
    quit: quit.signal,
    broken,
    pageCame: () => undefined,
    answer: (operation, _, cancel) =>
      answer?.(operation, cancel) ?? Promise.resolve({ isRefused: false, body: { operation }, mail: null }),
    stream: (body, response, cancel) => streamTo(response, body, { hello: HELLO, feed, store, cancel }),
  });
  const port = await server.listen(undefined);
  let isOver = false;
  const end = async () => {
    if (isOver) return;
    isOver = true;
    quit.abort();
    await server.close();
    await close();
  };
  onTestFinished(end);
  return { client: new PageClient(`http://127.0.0.1:${port}/#secret=${secret.text}`), bugs, end };
}

export interface Talkers {
  readonly ground: Ground;
  readonly deps: Deps;
  readonly room: RoomId;
  readonly claude: TalkingStick;
  /** Makes so many events. */
  readonly say: (count: number, text?: string) => Promise<void>;
  /** The places of all events of the room. */
  readonly seqs: () => Promise<readonly number[]>;
}

/** A room with two agents that talk, through a store of their own. */
export async function talkers(): Promise<Talkers> {
  const ground = groundAt(quickDirectory());
  const deps = await openWorld(ground);
  onTestFinished(async () => {
    await deps.bell.close();
    await deps.store.close();
  });
  const [claude, codex] = [actor(deps, "claude:1"), actor(deps, "codex:1")];
  const { roomId: room } = accepted(await claude.joinPath({ contextPath: ground.tree }));
  accepted(await codex.joinPath({ contextPath: ground.tree }));
  let said = 0;
  const say = async (count: number, text = "words") => {
    for (let index = 0; index < count; index += 1) {
      said += 1;
      accepted(await claude.setMyState({ roomId: room, purpose: `${said} ${text}` }));
    }
  };
  const seqs = async () => {
    const last = (await deps.store.readRoom(room))?.room.state.lastSeq ?? 0;
    return Array.from({ length: last }, (_, index) => index + 1);
  };
  return { ground, deps, room, claude, say, seqs };
}
