/** The page: what it knows, where the person is, and the ways to act, for every view. */
import { type ReactNode, useCallback, useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { wallMsOf } from "../../core/time.ts";
import { isWithoutStick, type StepIn } from "../picture/step-in.ts";
import { nameOf } from "../picture/why-words.ts";
import { nowMs as clockNowMs } from "./browser.ts";
import { wordsOfError } from "./kit/use-answer.ts";
import { PageContext, type PageTools, type RoomView } from "./page-context.ts";
import { openPicture, type PageState } from "./page-state.ts";
import { addressOf, type PagePlace, placeAt } from "./place.ts";
import { Frame } from "./shell/frame.tsx";
import { Notices, useNotices } from "./shell/notices.tsx";
import { QuestionDialog, useQuestion } from "./shell/question-dialog.tsx";
import type { PageSource } from "./source.ts";

interface AppProps {
  readonly source: PageSource;
  /** Stands below the views, such as the slider of a recording. */
  readonly footer?: ReactNode;
}

export function App({ source, footer }: AppProps): ReactNode {
  const state = useSyncExternalStore(source.subscribe, source.state);
  const [place, goTo] = usePlace();
  const nowMs = useNowMs(state);
  const { notices, tell, dismiss } = useNotices();
  const { question, ask, answer } = useQuestion(state.rooms, tell);

  useEffect(() => source.open(place.roomId), [source, place.roomId]);
  useStartHere(state, place);

  const run: PageTools["run"] = useCallback(
    async (name, input) => {
      try {
        return await source.ask(name, input);
      } catch (error) {
        tell(wordsOfError(error), "error");
        return null;
      }
    },
    [source, tell],
  );
  const stepIn: PageTools["stepIn"] = useCallback(
    async (room, plan) => {
      const { roomId } = room.picture;
      if (plan.question !== null && !(await ask({ ...plan.question, roomId, steps: plan.steps }))) return false;
      return carryOut(
        plan,
        (name, input) => run(name, name === "join_path" ? input : { room_id: roomId, ...input }),
        tell,
      );
    },
    [ask, run, tell],
  );
  const tools = useMemo(
    (): PageTools => ({ state, source, nowMs, place, goTo, tell, run, stepIn }),
    [state, source, nowMs, place, goTo, tell, run, stepIn],
  );
  return (
    <PageContext value={tools}>
      <Frame room={useRoomView(state, place.roomId)} footer={footer} />
      <Notices notices={notices} dismiss={dismiss} />
      <QuestionDialog question={question} answer={answer} />
    </PageContext>
  );
}

/** Up to the first that is refused. True: all is done, and the person has what they asked for. */
async function carryOut({ steps }: StepIn, run: PageTools["run"], tell: PageTools["tell"]): Promise<boolean> {
  for (const { do: name, with: input = {} } of steps) {
    const answer: object | null = await run(name, input);
    if (answer === null) return false;
    if (isWithoutStick(answer)) {
      const { next } = answer as { readonly next?: unknown };
      tell(`The stick is not yours yet. ${typeof next === "string" ? next : ""}`.trimEnd(), "error");
      return false;
    }
  }
  return true;
}

/** Null also while another room is still open than the address says: a view of that one must not see this address. */
function useRoomView(state: PageState, wanted: PagePlace["roomId"]): RoomView | null {
  const { link, readOnly, isOpenRemoved } = state;
  const open = state.open?.roomId === wanted ? state.open : null;
  const picture = open && openPicture(state);
  const canAct = readOnly === null && (link.kind === "live" || link.kind === "behind") && !isOpenRemoved;
  return useMemo(
    () => picture && open && { picture, open, canAct, nameOf: (agentId) => nameOf(picture, agentId) },
    [picture, open, canAct],
  );
}

/** Where the person is stands in the address, so that Back works and a reload comes back here. */
function usePlace(): readonly [PagePlace, PageTools["goTo"]] {
  const address = useSyncExternalStore(onAddress, () => location.hash);
  const place = useMemo(() => placeAt(address), [address]);
  const goTo = useCallback((to: Partial<PagePlace>) => {
    const from = placeAt(location.hash);
    // What is open belongs to its view, and the view to its room.
    const isElsewhere = to.roomId !== undefined && to.roomId !== from.roomId;
    const kept = isElsewhere ? { view: from.view, item: null } : to.view === undefined ? {} : { item: null };
    const there = addressOf({ ...from, ...kept, ...to });
    if (there !== location.hash) location.hash = there;
  }, []);
  return [place, goTo];
}

function onAddress(changed: () => void): () => void {
  addEventListener("hashchange", changed);
  return () => removeEventListener("hashchange", changed);
}

/** A page begins in the room of the directory where it was started. A recording has no other room. */
function useStartHere({ here, hasRooms, link }: PageState, place: PagePlace): void {
  const [hasBegun, setBegun] = useState(false);
  const isRecorded = link.kind === "recorded";
  useEffect(() => {
    if ((hasBegun && !isRecorded) || !hasRooms) return;
    setBegun(true);
    const isElsewhere = isRecorded ? place.roomId !== here : place.roomId === null;
    // Going back must not come to the address that leads here.
    if (here !== null && isElsewhere) location.replace(addressOf({ ...place, roomId: here }));
  }, [hasBegun, hasRooms, here, place, isRecorded]);
}

const MINUTE_MS = 60_000;

/** In a recording, the moment that is shown. Otherwise it moves at minute boundaries, as ages do. */
function useNowMs(state: PageState): number {
  const [now, setNow] = useState(clockNowMs);
  const isRecorded = state.link.kind === "recorded";
  useEffect(() => {
    if (isRecorded) return undefined;
    const timer = setTimeout(() => setNow(clockNowMs()), MINUTE_MS - (clockNowMs() % MINUTE_MS));
    return () => clearTimeout(timer);
  }, [now, isRecorded]);
  const picture = openPicture(state);
  return isRecorded && picture ? wallMsOf(picture.asOf) : now;
}
