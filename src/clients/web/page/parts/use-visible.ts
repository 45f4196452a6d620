import { useEffect, useState } from "preact/hooks";

/** Whether somebody can see this tab. */
export function useVisible(): boolean {
  const [visible, setVisible] = useState(document.visibilityState === "visible");
  useEffect(() => {
    const look = (): void => setVisible(document.visibilityState === "visible");
    document.addEventListener("visibilitychange", look);
    look();
    return () => document.removeEventListener("visibilitychange", look);
  }, []);
  return visible;
}
