/** The person's mail, for a view that shows it. */
import { type RefObject, useEffect, useRef, useState, useSyncExternalStore } from "react";
import type { EventId } from "../../../core/ids.ts";
import { usePageVisible } from "../kit/use-page-visible.ts";
import { usePage } from "../page-context.ts";
import type { PageSource } from "../source.ts";
import { MailDesk, type MailState } from "./mail-desk.ts";

const desks = new WeakMap<PageSource, MailDesk>();

function deskOf(source: PageSource): MailDesk {
  const desk = desks.get(source) ?? new MailDesk({ ask: source.ask, later });
  desks.set(source, desk);
  return desk;
}

function later(call: () => void, ms: number): () => void {
  const timer = setTimeout(call, ms);
  return () => clearTimeout(timer);
}

/** Takes mail while the view is drawn, the page is visible, and the person may act. */
export function useMailDesk(): MailState {
  const { source, state } = usePage();
  const desk = deskOf(source);
  const isVisible = usePageVisible();
  const isWanted = isVisible && state.readOnly === null && state.link.kind === "live";
  const unread = state.unreadMail;
  useEffect(() => {
    desk.tell({ isWanted, unread });
    return () => desk.tell({ isWanted: false, unread: 0 });
  }, [desk, isWanted, unread]);
  return useSyncExternalStore(desk.subscribe, desk.state);
}

/** So much of a message that is larger than the screen must be in sight. */
const ENOUGH_PX = 200;
/** What a message scrolls in. It may be lower than that, as on a page that is zoomed. */
const SCROLLERS = "[role=list], .mail-strip-place, .room-header";
const ENOUGH_SHARE = 0.7;
const THRESHOLDS = Array.from({ length: 21 }, (_, step) => step / 20);

/** Says that a message was on the screen, once most of the element was, while the page was visible. */
export function useSeen<Shown extends HTMLElement>(messageId: EventId | null): RefObject<Shown | null> {
  const { source } = usePage();
  const element = useRef<Shown>(null);
  const isVisible = usePageVisible();
  const [isInSight, setInSight] = useState(false);
  useEffect(() => {
    if (messageId === null || element.current === null) return undefined;
    const looked = (entries: readonly IntersectionObserverEntry[]) => {
      const now = entries.at(-1);
      if (now) setInSight(isEnough(now));
    };
    const observer = new IntersectionObserver(looked, { threshold: THRESHOLDS });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [messageId]);
  useEffect(() => {
    if (messageId !== null && isInSight && isVisible) deskOf(source).seen(messageId);
  }, [source, messageId, isInSight, isVisible]);
  return element;
}

function isEnough({ target, intersectionRatio, intersectionRect }: IntersectionObserverEntry): boolean {
  if (intersectionRatio >= 0.85) return true;
  const room = target.closest(SCROLLERS)?.clientHeight ?? Number.POSITIVE_INFINITY;
  return intersectionRect.height > 0 && intersectionRect.height >= Math.min(ENOUGH_PX, room * ENOUGH_SHARE);
}
