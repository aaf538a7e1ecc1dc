import "@mantine/core/styles.css";
import "@mantine/notifications/styles.css";
import "./app/console.css";
import { createRoot } from "react-dom/client";
import { App } from "./app/app.tsx";
import { readPageFacts } from "./app/page-facts.ts";

const { styleNonce } = readPageFacts();
// Read by the libraries that write style elements of their own (get-nonce, under Mantine's drawers and dialogs).
Object.assign(globalThis, { __webpack_nonce__: styleNonce });

const root = document.querySelector("#root");
if (root !== null) createRoot(root).render(<App />);
