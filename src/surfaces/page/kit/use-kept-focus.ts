/** Keeps the keyboard where it was when what had the focus goes away, as a note does that was resolved. */
import { type FocusEvent, type RefObject, useEffect, useRef } from "react";

interface KeptFocus<Box extends HTMLElement> {
  readonly box: RefObject<Box | null>;
  readonly onFocus: (event: FocusEvent<Box>) => void;
}

/** For a box that can have the focus itself, or that has a list. It looks after each time that its component is drawn. */
export function useKeptFocus<Box extends HTMLElement>(): KeptFocus<Box> {
  const box = useRef<Box>(null);
  const last = useRef<{ readonly element: Element; readonly place: string | null } | null>(null);
  useEffect(() => {
    if (last.current === null || last.current.element.isConnected) return;
    const { place } = last.current;
    last.current = null;
    const isLost = document.activeElement === null || document.activeElement === document.body;
    if (isLost && box.current !== null) nearest(box.current, place).focus();
  });
  const onFocus = ({ target }: FocusEvent<Box>) => {
    const place = target.closest("[role=listitem]")?.getAttribute("aria-posinset") ?? null;
    last.current = { element: target, place };
  };
  return { box, onFocus };
}

/** The list's item that is now at the same place or before it, else the list, else the box. */
function nearest(box: HTMLElement, place: string | null): HTMLElement {
  const items = place === null ? [] : [place, String(Number(place) - 1)].map((at) => `[aria-posinset="${at}"]`);
  const found = [...items, "[role=list]"].map((selector) => box.querySelector<HTMLElement>(selector));
  return found.find((element) => element !== null) ?? box;
}
