import { useEffect, useEffectEvent } from "react";

/** Message to the browser's other tabs: the id of the present session; null after a sign-out. */
type SessionNews = number | null;

/** One channel for both directions: a channel does not receive its own messages. */
const tabs = new BroadcastChannel("gatehouse-console-session");

/** Notifies the browser's other tabs, which share the session's cookie. */
export function tellTabs(sessionId: SessionNews): void {
  tabs.postMessage(sessionId);
}

/** Receives the messages of other tabs. */
export function useSessionNews(onNews: (sessionId: SessionNews) => void): void {
  const hear = useEffectEvent(({ data }: MessageEvent<SessionNews>) => onNews(data));
  useEffect(() => {
    const listener = (event: MessageEvent<SessionNews>) => hear(event);
    tabs.addEventListener("message", listener);
    return () => tabs.removeEventListener("message", listener);
  }, []);
}
