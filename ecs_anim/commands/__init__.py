"""What each command of `ecs-anim` does; imported only when it is called."""
