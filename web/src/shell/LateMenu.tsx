import { cloneElement, lazy, Suspense, useState, type ReactElement } from 'react';
import type { MenuProps } from './Menus';

const load = () => import('./Menus').then((module) => ({ default: module.OpenMenu }));
const OpenMenu = lazy(load);

/** A menu of the page's head. It loads when its button is first pointed at or focused, and takes the button's place when it is first opened. */
export function LateMenu({ target, ...menu }: MenuProps) {
  const [used, setUsed] = useState(false);
  const button: ReactElement<Record<string, unknown>> = cloneElement(target, { 'aria-haspopup': 'menu', onClick: () => setUsed(true), onPointerEnter: () => void load(), onFocus: () => void load() });
  if (!used) return button;
  return <Suspense fallback={button}><OpenMenu target={target} {...menu} /></Suspense>;
}
