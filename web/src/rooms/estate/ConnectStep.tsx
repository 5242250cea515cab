import {
  Alert,
  Anchor,
  PasswordInput,
  SegmentedControl,
  SimpleGrid,
  Stack,
  TagsInput,
  Text,
  TextInput,
} from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { Link } from '@tanstack/react-router';
import { Panel } from '../../display/Panel';
import { ProblemAlert } from '../../display/ProblemAlert';
import type { ConnectValues } from './connect-aws';

const MARKED = [
  'name',
  'regions',
  'credentials.access_key_id',
  'credentials.secret_access_key',
  'assume_role',
  'external_id',
];

interface Props {
  form: UseFormReturnType<ConnectValues>;
  error: unknown;
  /** Outcome of the test of the saved connection. */
  test?: { ok: boolean; message?: string | null };
}

/** Name, regions and credentials of the connection, and the outcome of its test. */
export function ConnectStep({ form, error, test }: Props) {
  return (
    <Panel title="Connect and test">
      <Stack gap="md">
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput
            label="Name"
            placeholder="Production"
            required
            {...form.getInputProps('name')}
          />
          <TagsInput
            label="Regions"
            description="Type a region and press Enter"
            {...form.getInputProps('regions')}
          />
        </SimpleGrid>
        <SegmentedControl
          data={[
            { value: 'ambient', label: "Environment's own credentials" },
            { value: 'key', label: 'Access key' },
          ]}
          aria-label="Credentials"
          {...form.getInputProps('how')}
          style={{ alignSelf: 'flex-start' }}
        />
        {form.values.how === 'key' && (
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <TextInput
              label="Access key id"
              autoComplete="off"
              {...form.getInputProps('credentials.access_key_id')}
            />
            <PasswordInput
              label="Secret access key"
              autoComplete="off"
              {...form.getInputProps('credentials.secret_access_key')}
            />
          </SimpleGrid>
        )}
        <ProblemAlert error={error} marked={MARKED} />
        {test && !test.ok && (
          <Alert color="red" variant="light" title="Connection failed" role="alert">
            <Text size="sm">{test.message}</Text>
            <Text size="sm" mt={4}>
              The connection is saved. Correct the role or the credentials, then test again, or
              change it under{' '}
              <Anchor
                size="sm"
                renderRoot={(props) => <Link to="/estate/connections" {...props} />}
              >
                Connections
              </Anchor>
              .
            </Text>
          </Alert>
        )}
      </Stack>
    </Panel>
  );
}
