import { Alert, Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { components } from '../../api/schema';
import { plural } from '../../display/amounts';

/** What a search did not look at, because it lies in the cold tier. */
export function LeftOut({ of }: { of: components['schemas']['LeftOutBody'] }) {
  return (
    <Alert color="yellow" variant="light" title="A part of the period was not searched">
      <Text size="sm">
        {plural(of.entries, 'entry', 'entries')} in {plural(of.segments, 'segment')} of the cold
        tier may match. Restore the period under{' '}
        <Anchor inherit renderRoot={(props) => <Link to="/settings/retention" {...props} />}>
          Settings, Retention
        </Anchor>
        , or narrow the search to a later one.
      </Text>
    </Alert>
  );
}
