import { useEffect, useEffectEvent } from "react";

/** From a tab to the browser's others: the session that the browser has now, by its id; null after a sign-out. */
type SessionNews = number | null;

/** One for both directions: a channel does not hear itself. */
const tabs = new BroadcastChannel("gatehouse-console-session");

/** Tells the browser's other tabs, which share the session's cookie. */
export function tellTabs(sessionId: SessionNews): void {
  tabs.postMessage(sessionId);
}

/** Hears what other tabs tell. */
export function useSessionNews(onNews: (sessionId: SessionNews) => void): void {
  const hear = useEffectEvent(({ data }: MessageEvent<SessionNews>) => onNews(data));
  useEffect(() => {
    const listener = (event: MessageEvent<SessionNews>) => hear(event);
    tabs.addEventListener("message", listener);
    return () => tabs.removeEventListener("message", listener);
  }, []);
}
