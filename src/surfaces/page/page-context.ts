/** What every view may use: the state, the ways to act, and where the person is. `app.tsx` provides it. */
import { createContext, useContext } from "react";
import type { AgentId } from "../../core/ids.ts";
import type { RoomPicture } from "../../peers/rules/picture.ts";
import type { StepIn } from "../picture/step-in.ts";
import type { PageAnswers, PageOperation } from "../wire/page-answers.ts";
import type { OpenRoom, PageState } from "./page-state.ts";
import type { PagePlace } from "./place.ts";
import type { PageSource } from "./source.ts";

export interface PageTools {
  readonly state: PageState;
  readonly source: PageSource;
  /** Moves on at minute boundaries alone, as ages do. In a recording it is the moment that is shown. */
  readonly nowMs: number;
  readonly place: PagePlace;
  readonly goTo: (place: Partial<PagePlace>) => void;
  /** Shows a short notice. */
  readonly tell: (words: string, tone?: "plain" | "error") => void;
  /** Runs an operation and tells what fails. Null: it was refused, or there was no answer. */
  readonly run: <Name extends PageOperation>(
    name: Name,
    input: Parameters<PageSource["ask"]>[1],
  ) => Promise<PageAnswers[Name] | null>;
  /** Asks the question, if there is one, then acts. Resolves to whether it was done. */
  readonly stepIn: (room: RoomView, plan: StepIn) => Promise<boolean>;
}

/** The room that is open, as its views need it. */
export interface RoomView {
  readonly picture: RoomPicture;
  readonly open: OpenRoom;
  /** What people call an agent; safe to show. */
  readonly nameOf: (agentId: AgentId) => string;
  /** Whether the person may act here: not in a recording, not without powers, not in a room that was removed. */
  readonly canAct: boolean;
}

export const PageContext = createContext<PageTools | null>(null);

export function usePage(): PageTools {
  const page = useContext(PageContext);
  if (page === null) throw new Error("usePage outside of the page");
  return page;
}
