import { Button, PasswordInput, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { fieldMessages } from '../../api/problem';
import { useMe } from '../../api/session';
import { announce } from '../../display/announce';
import { Facts } from '../../display/Facts';
import { Page } from '../../display/Page';
import { Panel } from '../../display/Panel';
import { ProblemAlert } from '../../display/ProblemAlert';
import { words } from '../../display/wording';
import { changePassword, useChange } from './queries';

export function Account() {
  const me = useMe();
  if (!me) return null;
  return (
    <Page title="Account" description="Your own account. An administrator changes roles and teams.">
      <Panel title="Profile">
        <Facts
          of={[
            ['Name', me.name],
            ['E-mail address', me.email],
            ['Roles', me.roles.map(words).join(', ')],
          ]}
        />
      </Panel>
      <PasswordPanel />
    </Page>
  );
}

function PasswordPanel() {
  const change = useChange(changePassword);
  const form = useForm({
    initialValues: { current_password: '', new_password: '', repeated: '' },
    validate: {
      current_password: (value) => (value === '' ? 'Enter your current password' : null),
      new_password: (value) => (value === '' ? 'Enter a new password' : null),
      repeated: (value, values) => (value === values.new_password ? null : 'The passwords differ'),
    },
  });
  const submit = form.onSubmit(({ current_password, new_password }) => {
    change.mutate(
      { current_password, new_password },
      {
        onSuccess: () => {
          announce('Password changed. Your other sessions were signed out.');
          form.reset();
        },
        onError: (error) => form.setErrors(fieldMessages(error)),
      },
    );
  });
  return (
    <Panel title="Password">
      <form noValidate onSubmit={submit}>
        <Stack gap="md" maw={420}>
          <Text size="sm" className="muted">
            Changing it signs you out everywhere else. API tokens stay valid.
          </Text>
          <PasswordInput
            label="Current password"
            required
            autoComplete="current-password"
            {...form.getInputProps('current_password')}
          />
          <PasswordInput
            label="New password"
            required
            autoComplete="new-password"
            {...form.getInputProps('new_password')}
          />
          <PasswordInput
            label="New password again"
            required
            autoComplete="new-password"
            {...form.getInputProps('repeated')}
          />
          <ProblemAlert error={change.error} marked={['current_password', 'new_password']} />
          <div>
            <Button type="submit" loading={change.isPending}>
              Change password
            </Button>
          </div>
        </Stack>
      </form>
    </Panel>
  );
}
