import { Anchor, Breadcrumbs } from '@mantine/core';
import { Link, type LinkProps } from '@tanstack/react-router';

/** The way back: where the page stands, outermost first. */
export function Trail({ of: places }: { of: [label: string, to: LinkProps['to']][] }) {
  return (
    <Breadcrumbs mb={6} fz="sm" separator="›">
      {places.map(([label, to]) => (
        <Anchor key={label} size="sm" renderRoot={(props) => <Link to={to} {...props} />}>
          {label}
        </Anchor>
      ))}
    </Breadcrumbs>
  );
}
