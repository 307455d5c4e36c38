/// <reference types="vite/client" />
import type { Theme } from 'vitepress';
import DefaultTheme from 'vitepress/theme';
import './style.css';

/** Opens the tab whose heading, or whose content, is the target of the address. */
function openTab(): void {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const block = target?.closest('.vp-code-group > .blocks > *');
  const index = block == null ? -1 : [...(block.parentElement?.children ?? [])].indexOf(block);
  const labels = target?.closest('.vp-code-group')?.querySelectorAll('.tabs > label') ?? [];
  const label = target instanceof HTMLLabelElement ? target : labels[index];
  if (!(label instanceof HTMLLabelElement)) return;
  label.click(); // the script of VitePress shows the block
  label.scrollIntoView({ block: 'center' });
}

export default {
  extends: DefaultTheme,
  enhanceApp({ router }) {
    if (typeof window === 'undefined') return; // the pages are also made without a browser
    const after = router.onAfterRouteChange ?? router.onAfterRouteChanged;
    router.onAfterRouteChange = async (to) => {
      await after?.(to);
      requestAnimationFrame(openTab);
    };
    window.addEventListener('hashchange', openTab);
  },
} satisfies Theme;
