/**
 * A list of any length, of which only what is in sight is in the document. Arrow keys, Home and End move in it, Enter opens.
 * A list that follows its end stays there while items come. If the person has scrolled away, it says what came below.
 */
import {
  createContext,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useContext,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { VList, type VListHandle } from "virtua";

export interface LongListProps<Item> {
  readonly label: string;
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => string | number;
  readonly children: (item: Item) => ReactNode;
  readonly followsEnd?: boolean;
  /** Called when the start comes into sight, so that older items can be loaded. */
  readonly onNearStart?: () => void;
  /** Enter on an item. A click is for the item's own buttons and links. */
  readonly onOpen?: (item: Item) => void;
  /** The item that is scrolled into sight when it changes. */
  readonly shown?: string | number | null;
  /** A guess of an item's height in pixels. */
  readonly itemSize?: number;
}

/** Null outside of a list. */
const InCurrent = createContext<boolean | null>(null);

/**
 * For a button in an item: Tab reaches it only in the item that the keys have moved to. Otherwise the way through a list
 * would be long, and would miss what is not in the document yet.
 */
export function useItemTab(): 0 | -1 {
  return useContext(InCurrent) === false ? -1 : 0;
}

/** Nearer to an end than this is at the end. */
const NEAR_PX = 80;

export function LongList<Item>(props: LongListProps<Item>): ReactNode {
  const { label, items, keyOf, children, followsEnd = false, onNearStart, onOpen, shown = null, itemSize } = props;
  const list = useRef<VListHandle>(null);
  const box = useRef<HTMLDivElement>(null);
  // A list that does not follow its end begins with the newest. A person at its start sees what comes.
  const isAtStart = !followsEnd && (list.current?.scrollOffset ?? 0) < 1;
  const isPrepended = usePrepended(items, keyOf) && !isAtStart;
  const last = items.at(-1);
  const { isAtEnd, isNewBelow, byPerson, toEnd, moved } = useEnd(list, {
    items,
    lastKey: last === undefined ? null : keyOf(last),
    followsEnd,
    box,
  });
  useShown(list, shown === null ? -1 : items.findIndex((item) => keyOf(item) === shown), { shown, isAtEnd });
  const { currentIndex, setCurrent, pressed } = useCurrent(list, { items, keyOf, followsEnd, onOpen, box, byPerson });

  const scrolled = (offset: number) => {
    const element = box.current?.querySelector("[role=list]");
    if (!element) return;
    // The element knows a new size of the window at once, the list a moment later.
    moved(offset, element);
    if (offset < NEAR_PX) onNearStart?.();
  };
  // The button goes away, and the keyboard stays in the list.
  const goToEnd = () => {
    toEnd();
    box.current?.querySelector<HTMLElement>("[role=list]")?.focus({ preventScroll: true });
  };
  return (
    <div ref={box} className="long-list" onKeyDown={pressed} onWheel={byPerson} onTouchMove={byPerson}>
      <VList
        ref={list}
        role="list"
        aria-label={label}
        tabIndex={0}
        data={items}
        shift={isPrepended}
        onScroll={scrolled}
        onPointerDown={(event) => event.target === event.currentTarget && byPerson()}
        {...(itemSize !== undefined && { itemSize })}
        {...(currentIndex !== -1 && { keepMounted: [currentIndex] })}
      >
        {(item, index) => (
          <div
            key={keyOf(item)}
            role="listitem"
            className="long-list-item"
            aria-posinset={index + 1}
            aria-setsize={items.length}
            tabIndex={-1}
            data-current={index === currentIndex}
            onFocus={() => setCurrent(keyOf(item))}
          >
            <InCurrent value={index === currentIndex}>{children(item)}</InCurrent>
          </div>
        )}
      </VList>
      {isNewBelow && (
        <button type="button" className="button primary new-below" onClick={goToEnd}>
          New below
        </button>
      )}
    </div>
  );
}

type List = RefObject<VListHandle | null>;

interface Ending {
  readonly items: readonly unknown[];
  readonly lastKey: string | number | null;
  readonly followsEnd: boolean;
  readonly box: RefObject<HTMLDivElement | null>;
}

/** Stays at the end while items come, until the person has scrolled away. */
function useEnd(list: List, { items, lastKey, followsEnd, box }: Ending) {
  const isAtEnd = useRef(followsEnd);
  const [isAway, setAway] = useState(false);
  const [lastSeen, setLastSeen] = useState(lastKey);
  const toEnd = () => list.current?.scrollToIndex(items.length - 1, { align: "end" });
  const stay = useEffectEvent(() => {
    if (followsEnd && isAtEnd.current && items.length > 0) toEnd();
  });
  useLayoutEffect(() => stay(), [followsEnd, items]);
  // If something below the list grows, the list becomes lower and would lose its end.
  useEffect(() => {
    if (box.current === null) return undefined;
    const observer = new ResizeObserver(() => stay());
    observer.observe(box.current);
    return () => observer.disconnect();
  }, [box]);
  const isByPerson = useRef(false);
  const byPerson = () => {
    isByPerson.current = true;
  };
  const before = useRef({ offset: 0, height: 0, items });
  const moved = (offset: number, { clientHeight, scrollHeight: height }: Element) => {
    const isNearEnd = offset + clientHeight >= height - NEAR_PX;
    // A list that has changed since may have scrolled by itself. Then only what the person does leads away from the end.
    const hasChanged = before.current.items !== items || before.current.height !== height;
    const isOwnMove = !isByPerson.current && hasChanged;
    // Items that are taller than they were taken for move the end away. The person has not scrolled back.
    const isThere = isNearEnd || (isAtEnd.current && (isOwnMove || offset >= before.current.offset));
    before.current = { offset, height, items };
    isByPerson.current = false;
    isAtEnd.current = followsEnd && isThere;
    if (isThere && !isNearEnd) toEnd();
    setAway(!isThere);
    // What was the last when the person began to scroll away is not new.
    if (isThere || !isAway) setLastSeen(lastKey);
  };
  return { isAtEnd, isNewBelow: followsEnd && isAway && lastKey !== lastSeen, byPerson, toEnd, moved };
}

interface Showing {
  readonly shown: string | number | null;
  readonly isAtEnd: RefObject<boolean>;
}

/** Scrolls to an item once. Items that come later do not pull the list back. */
function useShown(list: List, index: number, { shown, isAtEnd }: Showing): void {
  const done = useRef<string | number | null>(null);
  useEffect(() => {
    if (index === -1 || done.current === shown) return;
    done.current = shown;
    isAtEnd.current = false;
    // Its beginning is in sight, however tall it is, and a little of what stands before it.
    list.current?.scrollToIndex(index, { align: "start", offset: -NEAR_PX / 2 });
  }, [list, index, shown, isAtEnd]);
}

interface Moving<Item> extends Pick<LongListProps<Item>, "items" | "keyOf">, Pick<Ending, "followsEnd" | "box"> {
  readonly onOpen: LongListProps<Item>["onOpen"] | undefined;
  /** Says that the person is about to scroll the list. */
  readonly byPerson: () => void;
}

/** The item that the keys have moved to. */
function useCurrent<Item>(list: List, { items, keyOf, followsEnd, onOpen, box, byPerson }: Moving<Item>) {
  const [current, setCurrent] = useState<string | number | null>(null);
  const currentIndex = current === null ? -1 : items.findIndex((item) => keyOf(item) === current);
  const moveTo = (index: number) => {
    const at = Math.max(0, Math.min(index, items.length - 1));
    const item = items[at];
    if (item === undefined) return;
    setCurrent(keyOf(item));
    list.current?.scrollToIndex(at, { align: "nearest" });
    // The item may come into the document only now.
    requestAnimationFrame(() => requestAnimationFrame(() => focusCurrent(box.current)));
  };
  const pressed = (event: KeyboardEvent<HTMLElement>) => {
    const isOn = (selectors: string) => event.target instanceof Element && event.target.closest(selectors) !== null;
    // Keys in a field of an item are the field's. Keys with Alt, Ctrl or Cmd are the browser's.
    if (isOn("input, textarea, select") || event.altKey || event.ctrlKey || event.metaKey) return;
    byPerson();
    const from = currentIndex === -1 ? (followsEnd ? items.length : -1) : currentIndex;
    const to = targetOf(event.key, from, items.length);
    const item = items[currentIndex];
    if (to !== null) {
      event.preventDefault();
      moveTo(to);
    } else if (event.key === "Enter" && item !== undefined && onOpen && !isOn("button, a, summary")) {
      event.preventDefault();
      onOpen(item);
    }
  };
  return { currentIndex, setCurrent, pressed };
}

function focusCurrent(box: HTMLElement | null): void {
  box?.querySelector<HTMLElement>("[data-current=true]")?.focus();
}

const PAGE = 10;

function targetOf(key: string, from: number, count: number): number | null {
  const moves: Readonly<Record<string, number>> = {
    ArrowDown: from + 1,
    ArrowUp: from - 1,
    PageDown: from + PAGE,
    PageUp: from - PAGE,
    Home: 0,
    End: count - 1,
  };
  return moves[key] ?? null;
}

/** Whether items have come in front of those that were there. */
function usePrepended<Item>(items: readonly Item[], keyOf: (item: Item) => string | number): boolean {
  const before = useRef<{ first: string | number | null; last: string | number | null }>({ first: null, last: null });
  const [first = null, last = null] =
    items.length === 0 ? [] : [items[0], items.at(-1)].map((item) => keyOf(item as Item));
  const isPrepended = before.current.first !== null && before.current.first !== first && before.current.last === last;
  useEffect(() => {
    before.current = { first, last };
  }, [first, last]);
  return isPrepended;
}
