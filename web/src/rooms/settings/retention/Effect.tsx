import { Alert, Skeleton, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { bytes, plural } from '../../../display/amounts';
import { Table } from '../../../display/Table';
import { When } from '../../../display/When';
import { previewQuery, type Course, type Policy } from './queries';

/** What policies would do with the entries that are in the log now. */
export function Effect({ policies }: { policies: Policy[] }) {
  const [asked] = useDebouncedValue(policies, 400);
  const { data, error } = useQuery(previewQuery(asked));
  if (error) {
    return (
      <Text size="sm" className="muted">
        The effect is shown once all fields are valid.
      </Text>
    );
  }
  if (!data) return <Skeleton h={90} />;

  const gone = data.after.reduce((sum, course) => sum + course.due.entries, 0);
  const freed = data.after.reduce((sum, course) => sum + course.due.bytes, 0);
  return (
    <>
      <Alert
        color={gone > 0 ? 'red' : 'green'}
        variant="light"
        title={gone > 0 ? 'Entries are deleted at once' : 'Nothing is deleted at once'}
      >
        {gone > 0
          ? `The period of ${plural(gone, 'entry', 'entries')} has passed under these policies. They become invisible when you save, and are deleted within ten minutes unless a legal hold keeps them. This frees about ${bytes(freed)} and cannot be undone.`
          : 'Every entry is within its period.'}
      </Alert>
      <Table aria-label="Effect by policy">
        <thead>
          <tr>
            <th>Policy</th>
            <th>Entries</th>
            <th>Deleted at once</th>
            <th>Next deletion</th>
          </tr>
        </thead>
        <tbody>
          {data.after.map((course) => (
            <tr key={course.policy}>
              <td>{course.policy}</td>
              <td>{total(course)}</td>
              <td>{plural(course.due.entries, 'entry', 'entries')}</td>
              <td>{course.next_expiry ? <When at={course.next_expiry} /> : 'none'}</td>
            </tr>
          ))}
        </tbody>
      </Table>
    </>
  );
}

/** Sealed entries of a policy. */
export function total({ hot, warm, cold, due }: Course): string {
  const entries = hot.entries + warm.entries + cold.entries + due.entries;
  const size = hot.bytes + warm.bytes + cold.bytes + due.bytes;
  return `${plural(entries, 'entry', 'entries')}, ${bytes(size)}`;
}
