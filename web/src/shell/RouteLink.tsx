import { useLinkProps, type LinkProps } from '@tanstack/react-router';
import type { ComponentPropsWithRef } from 'react';

interface Props extends Omit<ComponentPropsWithRef<'a'>, 'href'> {
  to: LinkProps['to'];
}

/**
 * A link that leaves it to its caller whether it is marked as the current page. The router's own link marks itself on every
 * address below its target, so that a room and its page would both be read out as current.
 */
export function RouteLink({ to, 'aria-current': current, ...props }: Props) {
  const link = useLinkProps({ to, ...props });
  return <a {...link} aria-current={current} data-status={undefined} />;
}
