package scattergate;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Puts {@link CallSites} around the MongoDB clients of Spring Boot's tests: what Spring Data and repositories send names
 * the line and the test.
 *
 * <p>Copy this file and CallSites.java to src/test/java/scattergate, and META-INF/spring.factories to
 * src/test/resources/META-INF. In tests without Spring Boot, name this class in
 * {@code @ContextConfiguration(initializers = CallSitesInSpring.class)} instead.
 */
public final class CallSitesInSpring implements ApplicationContextInitializer<ConfigurableApplicationContext> {
  @Override
  public void initialize(ConfigurableApplicationContext context) {
    context.getBeanFactory().addBeanPostProcessor(new BeanPostProcessor() {
      @Override
      public Object postProcessAfterInitialization(Object bean, String name) {
        return CallSites.around(bean);
      }
    });
  }
}
