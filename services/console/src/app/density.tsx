import { Menu } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import { useEffect } from "react";

type Density = "normal" | "compact";

/** Remembered by the browser. */
const stored = { key: "console-density", defaultValue: "normal" as Density, getInitialValueInEffect: false };

/** Lower rows in tables, for those who look at many. */
export function DensityItem() {
  const [density, setDensity] = useLocalStorage<Density>(stored);
  const isNormal = density === "normal";
  return (
    <Menu.Item onClick={() => setDensity(isNormal ? "compact" : "normal")}>
      {isNormal ? "Compact rows" : "Comfortable rows"}
    </Menu.Item>
  );
}

/** Tells the style sheet how high rows are. */
export function useDensity(): void {
  const [density] = useLocalStorage<Density>(stored);
  useEffect(() => {
    document.documentElement.dataset["density"] = density;
  }, [density]);
}
