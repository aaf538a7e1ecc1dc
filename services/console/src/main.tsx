import "@mantine/core/styles.css";
import "@mantine/notifications/styles.css";
import "./app/console.css";
import { createRoot } from "react-dom/client";
import { App } from "./app/app.tsx";

const root = document.querySelector("#root");
if (root !== null) createRoot(root).render(<App />);
